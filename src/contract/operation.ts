import type { z } from 'zod'
import type { areas } from './areas.ts'
import type { AccountArea, AdminArea, Feature, Privilege } from './common.ts'
import type { EventType } from './events.ts'
import type { ProblemCode } from './problem.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/**
 * Who may call, besides root (decisions: Who may call what).
 * `anyone`: no credentials needed. `token`: any API token. `session`: anyone signed in to `panel`.
 * `reseller`: the ACL privilege it needs, or `own` if owning the object is enough.
 */
export type Allow = 'anyone' | 'token' | 'session' | { readonly reseller?: Privilege | 'own'; readonly customer?: true }

/**
 * Which tokens may call it: with any of the admin areas, any of the account areas or `all` of them; `none`: no token
 * ever.
 */
export interface TokenAreas {
  readonly admin: readonly [AdminArea, ...AdminArea[]] | 'any' | 'none'
  readonly account:
    | AccountArea
    | readonly [AccountArea, ...AccountArea[]]
    | { readonly all: readonly [AccountArea, ...AccountArea[]] }
    | 'any'
    | 'none'
}

/** The areas that a token needs: each of one of these sets. Undefined where no area decides. */
export function areaSets(areas: TokenAreas['admin'] | TokenAreas['account']): readonly string[][] | undefined {
  if (areas === 'any' || areas === 'none') return undefined
  if (typeof areas === 'string') return [[areas]]
  return 'all' in areas ? [[...areas.all]] : areas.map((area) => [area])
}

/** The operation's command. */
export interface CommandForm {
  /** `['accounts', 'suspend']`; the first word is the area. */
  readonly words: readonly [string, ...string[]]
  /** The account is given by `--account`, which distinguishes it from a server command with the same words. */
  readonly variant?: 'account'
  /** Positional arguments: path parameters first, then body or query fields that are options as well. */
  readonly args?: readonly string[]
  /** Columns of the table, by field (dots reach into objects). */
  readonly columns?: readonly string[]
  /** Lines of text; `--follow` prints new ones. */
  readonly follow?: true
  /** The command line shows the list newest first. */
  readonly newest?: true
  /** The body field given as a file path, or `-` for standard input. */
  readonly file?: string
  /** Certificates and their key: body fields given as a file path, `-`, or the PEM text itself. */
  readonly pem?: PemFields
  /**
   * Confirms only if a body field has this value; `{}` in the question stands for the object. Shows the records that the
   * file would change, as compared by the operation at a path.
   */
  readonly confirmWhen?: {
    readonly field: string
    readonly value: string | boolean
    readonly question: string
    readonly differs?: string
  }
  /**
   * A zone file that is sent in parts if it is refused as `too-many`: its field, where the zone is read, and the value
   * of a field that allows it.
   */
  readonly inParts?: {
    readonly file: string
    readonly zone: string
    readonly only: { readonly field: string; readonly value: string }
  }
  /**
   * A body field with an upload's id: one option takes a local file, which is uploaded first, and another a directory,
   * which is packed without what its .gitignore leaves out.
   */
  readonly upload?: {
    readonly field: string
    readonly option: string
    readonly directory?: string
    /** The file may also be the last argument. */
    readonly isArgument?: true
  }
  /** A body list whose items can be given as NAME=VALUE. */
  readonly pairs?: string
  /** Body lists that `none` clears. */
  readonly emptied?: readonly string[]
  /** A body field that the last word sets: each value has a command of its own. */
  readonly verbs?: { readonly field: string; readonly values: readonly string[] }
  /** Its change is undone unless it is confirmed in time: the path that confirms it, from a new connection. */
  readonly trial?: `/${string}`
  /** Its only argument, which is not in the path, can be repeated: one change after the other. */
  readonly each?: true
  /** Confirms before it runs: `yes` for [y/N], `name` for the typed name. */
  readonly confirm?: 'yes' | 'name'
  /** The confirmation shows what will be replaced: the path to read it from. */
  readonly replaces?: string
  /** A value that makes the command exit with an error, though its job succeeded. */
  readonly failsWhen?: { readonly field: string; readonly value: string | boolean }
  /** A download that can be resumed, and is checked against its digest. */
  readonly resumes?: true
  /** Its job is not followed, as the command ends that job. */
  readonly unfollowed?: true
  /** The field to print, if not the whole response. */
  readonly show?: string
  /** How the fields of an object are divided on a terminal; the others come first. */
  readonly groups?: readonly CardGroup[]
  /** The list with the table's rows. */
  readonly rows?: string
  /** What to print below its table or fields: lists, or one row. */
  readonly sections?: readonly Section[]
  /** The field with a text to print below the others, as it is. */
  readonly text?: string
  /** The operation that validates fields of the same name for prompts. */
  readonly check?: string
  /** What to print if a body field was omitted; `{name}` is a field of what is shown, or an argument. */
  readonly unless?: Readonly<Record<string, string>>
  /** A body field that a value for another one sets, unless it is set itself. */
  readonly implies?: { readonly field: string; readonly sets: string; readonly to: string }
  /** What to print if a list of the answer is empty; `{name}` stands for a field of what is shown. */
  readonly lacking?: Readonly<Record<string, string>>
  /** An option that fills in fields for a purpose. */
  readonly preset?: Preset
  /** An option that makes an omission explicit: `--all`, without `--account`. */
  readonly everything?: { readonly option: string; readonly without: string; readonly description: string }
  /** The field with the link that `--open` opens. */
  readonly link?: string
  readonly examples: readonly string[]
}

/** Fields for PEM text. Files may be DER or PKCS #12, too, and locked by a password. */
export interface PemFields {
  readonly certificate: string
  readonly chain: string
  /** A secret; `option` is a short form of its `-file` option. */
  readonly key: { readonly field: string; readonly option: string }
}

/** Fields under a heading, two a line, and what is used of limits; without a heading, a line each. */
export interface CardGroup {
  readonly heading?: string
  readonly fields?: readonly string[]
  /** What only documents and pipes show. */
  readonly left?: readonly string[]
  readonly usage?: readonly {
    readonly name: string
    readonly used: string
    readonly limit?: string
    readonly unit?: string
  }[]
}

/** A further table in the printed response. */
export interface Section {
  readonly field: string
  readonly columns: readonly string[]
}

/** `--for whm`: fills in fields for a purpose. */
export interface Preset {
  readonly option: string
  readonly description: string
  /** Body fields by the option's value. */
  readonly values: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  /** A read that is printed as well, and the columns of both. */
  readonly beside: string
  readonly columns: readonly string[]
}

export interface Declaration {
  readonly id: string
  readonly method: Method
  /** Relative to `/api/v1`; `{name}` are parameters. */
  readonly path: `/${string}`
  /** Its tag, and the group of its command. */
  readonly area: keyof typeof areas
  readonly summary: string
  readonly description?: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  readonly status: 200 | 201 | 202 | 204 | 302
  /** In its place, if what would be created was there already: the handler answers with `Existing`. */
  readonly statusIfExisting?: 200
  /** The response body; none for 204. */
  readonly answer?: z.ZodType
  readonly allow: Allow
  readonly token: TokenAreas
  /** The feature that the account needs; any of several. */
  readonly feature?: Feature | readonly Feature[]
  /** The kind of job it starts. */
  readonly job?: string
  readonly emits?: readonly EventType[]
  /** Codes beyond those that any operation can return. */
  readonly problems?: readonly ProblemCode[]
  /** Body fields with secrets, besides those whose names say so: a URL with a token in it. */
  readonly secretFields?: readonly string[]
  /** The response or the body contains a secret: no idempotency key, no logging. */
  readonly secret?: true
  /** The same for requests whose body has a value at this path, through lists: `access.users.password`. */
  readonly secretAt?: string
  /** Body fields that only root may set, or an admin token that has this area, too. */
  readonly ofRoot?: Readonly<Record<string, AdminArea>>
  /** Allowed after the license has expired. */
  readonly licenseFree?: true
  /** Invalid values of these body fields have a code of their own, 422 (contract: Webhooks). */
  readonly fieldCodes?: Readonly<Record<string, ProblemCode>>
  /** The panel whose session cookie it concerns, whatever other cookie was sent. */
  readonly panel?: 'admin' | 'user'
  /** Allowed in a session that must first change its password or set up its second factor. */
  readonly restricted?: 'allowed'
  /** Allowed for suspended accounts and resellers. */
  readonly suspended?: 'allowed'
  /** Allowed while the account is being terminated; every other change below its path is refused, 409 `busy`. */
  readonly terminating?: 'allowed'
  /** Allowed at any time for an account that an import has made and that is not activated. */
  readonly importing?: 'allowed'
  /** Refused for an administrator signed in as the account. */
  readonly ownerOnly?: true
  /**
   * Never available to AI agents. In a session it needs a recently confirmed password, too; `own`: only for the caller's
   * own account; `agents`: never.
   */
  readonly sensitive?: true | 'own' | 'agents'
  /** Allows a larger body, for a zone file. */
  readonly room?: 'zone'
  /**
   * A host call: once it is authorized and parsed, and a change is in the audit trail, it acts on the host, outside any
   * transaction. Reads are not audited.
   */
  readonly host?: true
  /** The body or the response is raw bytes: `application/octet-stream`, streamed. */
  readonly raw?: 'body' | 'answer'
  /** Sends one part of an object: all that one actor sends of it are one row of the audit trail, not thousands. */
  readonly part?: true
  /** The maximum size of a raw body; unlimited by default. */
  readonly maxBytes?: number
  /** A GET that needs a token with write access. */
  readonly writes?: true
  /** A GET that consumes something: runs in a change, and never for HEAD. */
  readonly consumes?: true
  readonly cli?: CommandForm
}

/** Makes an unknown field, such as a misspelt one, an error: the compiler would accept it otherwise. */
type Only<Shape, Actual> = { readonly [Field in Exclude<keyof Actual, keyof Shape>]: never }

type CheckedDeclaration<D extends Declaration> = Only<Declaration, D> & {
  readonly cli?: Only<CommandForm, D['cli']>
  readonly token: Only<TokenAreas, D['token']>
}

/** Declares an operation: one API call, one command. Everything else comes from this. */
export const operation = <const D extends Declaration>(declaration: D & CheckedDeclaration<D>): D => declaration

/** Whether a read-only token can call it. */
export const readsOnly = ({ method, writes }: Pick<Declaration, 'method' | 'writes'>): boolean =>
  method === 'get' && !writes

/** Whether it is below the path of an account. */
export const isOfAccount = ({ path }: Pick<Declaration, 'path'>): boolean => path.startsWith('/accounts/{id}')

/** Whether it is refused, as the last check, while the path's account is being terminated. */
export const awaitsNoEnd = (op: Declaration): boolean =>
  op.method !== 'get' && isOfAccount(op) && op.terminating !== 'allowed'

/** JSON has no undefined: an absent field is absent. */
type Exact<T> = T extends readonly (infer Item)[]
  ? Exact<Item>[]
  : T extends object
    ? { [K in keyof T]: Exact<Exclude<T[K], undefined>> }
    : T

type Parsed<S> = S extends z.ZodType ? Exact<z.output<S>> : Record<string, never>

type BytesOf<Op> = Op extends { host: true } ? Parsed<undefined> : Buffer

/** A handler's input: the parsed parameters, query and body. */
export interface Input<Op> {
  params: Parsed<Op extends { params: infer S } ? S : undefined>
  query: Parsed<Op extends { query: infer S } ? S : undefined>
  /** Bytes if the operation takes a raw body and does not pass it on to the host. */
  body: Op extends { raw: 'body' } ? BytesOf<Op> : Parsed<Op extends { body: infer S } ? S : undefined>
}

/** A handler's result. */
export type Output<Op> = Op extends { raw: 'answer' }
  ? never
  : Op extends { answer: infer S extends z.ZodType }
    ? z.input<S>
    : undefined

/** The values that a path parameter may have, if it is a word of a closed list and not an id. */
export const pathChoices = ({ params }: Pick<Declaration, 'params'>, name: string): readonly string[] | undefined => {
  const schema = params?.shape[name] as { readonly options?: unknown } | undefined
  return Array.isArray(schema?.options) ? (schema.options as string[]) : undefined
}
