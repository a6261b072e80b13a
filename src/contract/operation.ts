import type { z } from 'zod'
import type { areas } from './areas.ts'
import type { AccountArea, AdminArea, Feature, Privilege } from './common.ts'
import type { EventType } from './events.ts'
import type { ProblemCode } from './problem.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/**
 * Who may call, besides root (decisions: Who may call what).
 * `anyone`: no credentials are asked. `token`: any API token. `session`: anyone signed in to `panel`.
 * `reseller`: the ACL privilege it needs, or `own` where owning the object is enough.
 */
export type Allow = 'anyone' | 'token' | 'session' | { readonly reseller?: Privilege | 'own'; readonly customer?: true }

/** Which token reaches it: any of the admin areas, any of the account areas; `none`: no token ever. */
export interface TokenAreas {
  readonly admin: readonly [AdminArea, ...AdminArea[]] | 'any' | 'none'
  readonly account: AccountArea | readonly [AccountArea, ...AccountArea[]] | 'any' | 'none'
}

/** How the command line offers an operation. */
export interface Command {
  /** `['accounts', 'suspend']`; the first word is the area. */
  readonly words: readonly [string, ...string[]]
  /** The account is named by `--account`, which chooses it beside a server command of the same words. */
  readonly variant?: 'account'
  /** Arguments by place: path parameters first, then body or query fields that may also be given as options. */
  readonly args?: readonly string[]
  /** Columns of the table, by field (dots reach into objects). */
  readonly columns?: readonly string[]
  /** Lines of text, of which `--follow` prints what comes. */
  readonly follow?: true
  /** A list that the command line shows newest first. */
  readonly newest?: true
  /** The field of the body that is given as the path of a file, or `-` for standard input. */
  readonly file?: string
  /** Asks only where a field of the body has this value, and shows how the file differs from what is read at a path. */
  readonly confirmWhen?: { readonly field: string; readonly value: string | boolean; readonly differs?: string }
  /** A zone file that is sent in parts where it is refused as `too-many`: its field, where the zone is read, and the value of a field that allows it. */
  readonly inParts?: {
    readonly file: string
    readonly zone: string
    readonly only: { readonly field: string; readonly value: string }
  }
  /** A field of the body with the id of an upload: the option takes a file of this machine, which is uploaded first. */
  readonly upload?: { readonly field: string; readonly option: string }
  /** A list in the body whose items can be given as NAME=VALUE. */
  readonly pairs?: string
  /** Lists in the body that `none` empties. */
  readonly emptied?: readonly string[]
  /** Its one argument, which no part of its path holds, can be given several times: one change after the other. */
  readonly each?: true
  /** Asks before it runs: `yes` for [y/N], `name` for the typed name. */
  readonly confirm?: 'yes' | 'name'
  /** Before it asks it says what will be replaced: from where the saved is read. */
  readonly replaces?: string
  /** A value of what is shown that ends the command with an error, though its job succeeded. */
  readonly failsWhen?: { readonly field: string; readonly value: string }
  /** A download that goes on where it stopped, and is compared with its digest. */
  readonly resumes?: true
  /** Its job is not followed: it is what the command ends. */
  readonly unfollowed?: true
  /** What is printed of the answer, when not the whole of it. */
  readonly show?: string
  /** The list in what is printed whose items are the rows of its table. */
  readonly rows?: string
  /** What else is printed of it, below its table or fields: lists, or one row. */
  readonly also?: readonly Section[]
  /** The operation that says of fields by the same name whether a value would do: prompts ask it. */
  readonly check?: string
  /** What the terminal says where a field of the body was left out; `{name}` stands for a field of what is shown. */
  readonly unless?: Readonly<Record<string, string>>
  /** An option that fills in fields for a purpose. */
  readonly preset?: Preset
  /** An option that says what holds where another is left out: `--all`, without `--account`. */
  readonly everything?: { readonly option: string; readonly without: string; readonly description: string }
  /** The field with a link that `--open` opens in a browser. */
  readonly link?: string
  readonly examples: readonly string[]
}

/** A table of its own in what is printed of an answer. */
export interface Section {
  readonly field: string
  readonly columns: readonly string[]
}

/** `--for whm`: fills in fields by what they are for. */
export interface Preset {
  readonly option: string
  readonly description: string
  /** By the option's value: fields of the body, and what they are. */
  readonly values: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  /** The read whose answer is printed beside, and the columns of both. */
  readonly beside: string
  readonly columns: readonly string[]
}

export interface Declaration {
  readonly id: string
  readonly method: Method
  /** Below `/api/v1`; `{name}` are parameters. */
  readonly path: `/${string}`
  /** Its tag, and the group of its command. */
  readonly area: keyof typeof areas
  readonly summary: string
  readonly description?: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  readonly status: 200 | 201 | 202 | 204 | 302
  /** Body of the answer; none for 204. */
  readonly answer?: z.ZodType
  readonly allow: Allow
  readonly token: TokenAreas
  /** The feature that must be on for the account; one of several. */
  readonly feature?: Feature | readonly Feature[]
  /** The kind of job it starts. */
  readonly job?: string
  readonly emits?: readonly EventType[]
  /** Codes beyond those any operation can answer. */
  readonly problems?: readonly ProblemCode[]
  /** The answer or the body holds a secret: no idempotency key, nothing logged. */
  readonly secret?: true
  /** Works after the license has expired. */
  readonly licenseFree?: true
  /** A fault in one of these body fields has a code of its own, 422 (contract: Webhooks). */
  readonly fieldCodes?: Readonly<Record<string, ProblemCode>>
  /** The panel whose session cookie it speaks of, whatever other cookie came. */
  readonly panel?: 'admin' | 'user'
  /** Works in a session that must first change its password or set up its second factor. */
  readonly restricted?: 'allowed'
  /** Works for an account or a reseller that is suspended. */
  readonly suspended?: 'allowed'
  /** Works for an account that is being terminated; every other change below an account's path is refused, 409 `busy`. */
  readonly terminating?: 'allowed'
  /** Refused to an administrator signed in as the account. */
  readonly ownerOnly?: true
  /** In a session it needs a password confirmed a short while ago; `own`: where it is for the caller's own account. */
  readonly sensitive?: true | 'own'
  /** Its body may be larger than others: room for a zone file. */
  readonly room?: 'zone'
  /**
   * A host call: once it is authorized and parsed, and a change is in the audit trail, it acts on the host, outside of any
   * transaction. A read leaves no trace.
   */
  readonly host?: true
  /** The body, or the answer, is bytes and no JSON: `application/octet-stream`, as it comes. */
  readonly raw?: 'body' | 'answer'
  /** The most bytes of a raw body; as many as come where it is not given. */
  readonly most?: number
  /** A GET for which a token needs the right to change. */
  readonly writes?: true
  /** A GET that uses something up: runs in a change, and never for HEAD. */
  readonly consumes?: true
  readonly cli?: Command
}

/** A field that is not in the shape, such as a misspelt one, is an error: without this, the compiler lets it pass. */
type Only<Shape, Given> = { readonly [Field in Exclude<keyof Given, keyof Shape>]: never }

type Known<D extends Declaration> = Only<Declaration, D> & {
  readonly cli?: Only<Command, D['cli']>
  readonly token: Only<TokenAreas, D['token']>
}

/** Declares an operation: one API call, one command. Everything else comes from this. */
export const operation = <const D extends Declaration>(declaration: D & Known<D>): D => declaration

/** Whether a token that may only read can call it. */
export const readsOnly = ({ method, writes }: Pick<Declaration, 'method' | 'writes'>): boolean =>
  method === 'get' && !writes

/** Whether it is below the path of an account. */
export const isOfAccount = ({ path }: Pick<Declaration, 'path'>): boolean => path.startsWith('/accounts/{id}')

/** Whether it is refused, last of all, while the account of its path is being terminated. */
export const awaitsNoEnd = (op: Declaration): boolean =>
  op.method !== 'get' && isOfAccount(op) && op.terminating !== 'allowed'

/** What came as JSON holds no undefined: an absent field is absent. */
type Exact<T> = T extends readonly (infer Item)[]
  ? Exact<Item>[]
  : T extends object
    ? { [K in keyof T]: Exact<Exclude<T[K], undefined>> }
    : T

type Parsed<S> = S extends z.ZodType ? Exact<z.output<S>> : Record<string, never>

type BytesOf<Op> = Op extends { host: true } ? Parsed<undefined> : Buffer

/** What a handler is given: the parsed parameters, query and body. */
export interface Input<Op> {
  params: Parsed<Op extends { params: infer S } ? S : undefined>
  query: Parsed<Op extends { query: infer S } ? S : undefined>
  /** Bytes, where it takes those and no JSON, and does not pass them on to the host. */
  body: Op extends { raw: 'body' } ? BytesOf<Op> : Parsed<Op extends { body: infer S } ? S : undefined>
}

/** What a handler answers. */
export type Output<Op> = Op extends { raw: 'answer' }
  ? never
  : Op extends { answer: infer S extends z.ZodType }
    ? z.input<S>
    : undefined
