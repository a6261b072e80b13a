import type { Child } from 'hono/jsx'
import type { CountName } from '../../contract/accounts.ts'
import type { Feature } from '../../contract/common.ts'
import type { OperationId, Operations } from '../../contract/index.ts'
import type { Output } from '../../contract/operation.ts'
import type { ProblemCode } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { Field } from './field.ts'

/** The headings of the navigation, in their order; entries of `main` stand above all of them. */
export const groups = ['main', 'sites', 'mail', 'account', 'work', 'connect', 'server'] as const
export type Group = (typeof groups)[number]

/** A further read of a page, shown as a part of its own where the page has no view. */
export interface Ask {
  readonly run: OperationId
  /** `{name}` stands for what the address names. */
  readonly query?: Readonly<Record<string, string>>
  readonly title?: string
  readonly columns?: readonly string[]
  /** The page of one of its items. */
  readonly to?: string
  /** The page of all of them. */
  readonly all?: string
  /** Asked once for each of what a form has sent, by the last part of its path; the answers are a list. */
  readonly each?: (typed: URLSearchParams, data: Answered) => readonly string[]
}

/** What a confirmation says will happen. */
export type Effects = readonly string[] | ((visit: Visit) => readonly string[])

/** A change that the forms of a page may post. */
export interface Act {
  /** What the done line says: "Mailbox created." */
  readonly done: string
  /** Of its button; the operation's summary where it is not given. */
  readonly label?: string
  readonly confirm?: Effects
  /** The page that follows it, with fields of what was answered: `/ftp/{login}`. */
  readonly to?: string
  /** The fields that it offers, where they are not all. */
  readonly only?: readonly string[]
  /** The fields that root alone may set. */
  readonly ofRoot?: readonly string[]
  /** What a part of its form is called. */
  readonly title?: string
  /** The one-time link that it answers is opened at once. */
  readonly follows?: true
  /** Where it can be done: only a suspended account is unsuspended. */
  readonly when?: (visit: Visit) => boolean
  /** Acts on many rows of a list at once. */
  readonly many?: true
  /** Acts on rows that have no id: what the operation is told of those that are sent. */
  readonly rows?: Rows
  /** Takes the file that its form brings along. */
  readonly receives?: Receives
  /** What its form becomes, where the operation takes bytes. */
  readonly sends?: (form: URLSearchParams, visited: Readonly<Record<string, string>>) => Sends
  /** Gathers what will be changed in the form itself before it is run. */
  readonly stages?: Stages
  /** The fields of the form that takes it back, where there is one. */
  readonly undo?: (form: URLSearchParams, answer: Answered) => URLSearchParams | undefined
}

/** How a form gathers changes: each press posts it, and the page comes back with more in it. */
export interface Stages {
  /** Whether a form is to be shown again, and not yet run. */
  when(form: URLSearchParams): boolean
  /** The form as it is to be shown, of what was typed. */
  next(visit: Visit): URLSearchParams
}

export interface Rows {
  name(item: string): string
  /** Of one row; of all that were chosen where the operation takes them `together`. */
  told(items: readonly string[], typed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  readonly together?: true
}

/** Where a file that comes with a form goes. */
export type Receives = (form: URLSearchParams, visited: Readonly<Record<string, string>>) => Omit<Sends, 'bytes'>

/** Bytes for an operation, with the query and the headers that go with them. */
export interface Sends {
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** What an operation that answers bytes answered, as far as a page can show it. */
export interface Content {
  /** Nothing where there is more than a page can show. */
  readonly bytes?: Uint8Array
  readonly etag: string
}

export type Acts = { readonly [Id in OperationId]?: Act }

/** What a view makes of a visit. */
export interface Shown {
  readonly title: string
  /** The title is a name, a path or a command. */
  readonly machine?: true
  readonly status?: string | undefined
  /** Of a list: how many there are. */
  readonly count?: number | undefined
  /** One line below the title. */
  readonly lead?: Child
  /** Beside the title; the last one is the main one. */
  readonly actions?: Child
  readonly body: Child
  /** Parts that can be asked for alone, by their ids. */
  readonly parts?: Readonly<Record<string, Child>>
}
export type View = (visit: Visit) => Shown

export interface Nav {
  readonly group: Group
  readonly order: number
  /** What it is called there, where not by the title of its page. */
  readonly label?: string
  readonly count?: CountName
  /** Pages that stand beside it, as tabs, and have no entry of their own. */
  readonly beside?: readonly string[]
  /** Without it the entry is left out. */
  readonly feature?: Feature
}

/** A page: a view of operations. */
export interface Screen {
  /** Below the base: `/email/{mailbox}`. A name that `lookup` knows is looked up; others are ids. `{path...}` takes the rest. */
  readonly path: string
  /** The account's pages lie below `/user` and `/admin/accounts/{account}`, the server's below `/admin`. */
  readonly of: 'account' | 'server'
  /** Where it is in one of the two panels alone. */
  readonly only?: 'user' | 'admin'
  readonly title: string
  /** The word below which the pages above this one are, where it is not this page's own: a file is within `files`. */
  readonly within?: string
  /** What one of a list is called: "cron job". */
  readonly one?: string
  /** The read the page is about, or the change whose form it is; who may not run it does not see the page. */
  readonly shows: OperationId
  readonly query?: Readonly<Record<string, string>>
  /** What the address asks of the shown operation, where it does not say so by the names of the operation. */
  readonly asks?: (query: URLSearchParams, now: number) => Readonly<Record<string, string>>
  readonly also?: Readonly<Record<string, Ask>>
  readonly acts?: Acts
  readonly view?: View
  readonly nav?: Nav
  /** Further words for search. */
  readonly find?: readonly string[]
  /** Of a list: its columns, the page of one of its items, and the page that adds one. */
  readonly columns?: readonly string[]
  readonly to?: string
  readonly add?: { readonly to: string; readonly label: string }
  /** What it is for, where there is nothing yet. */
  readonly empty?: string
  /** The field of an object's answer that names it. */
  readonly name?: string
  /** What can be downloaded here, with the words of its button: reads that answer bytes. */
  readonly downloads?: { readonly [Id in OperationId]?: string }
  /** Fields that are not shown. */
  readonly hidden?: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: what an operation answered; it was checked against the contract
export type Answered = any
export type SessionView = Output<Operations['getSession']>
export type AccountView = Output<Operations['getAccount']>

/** What was wrong with what was sent. */
export interface Refusal {
  readonly code: ProblemCode
  readonly status: number
  readonly title: string
  readonly detail?: string | undefined
  readonly fields: Readonly<Record<string, string>>
}

/** A form that runs one operation, as it is to be shown. */
export interface FormModel {
  readonly op: OperationId
  readonly action: string
  readonly csrf: string
  /** So that a double press posts once. */
  readonly key?: string | undefined
  /** The member of a list that it is about. */
  readonly item?: string | undefined
  readonly fields: readonly Field[]
  readonly label: string
  readonly refusal?: Refusal | undefined
}

export interface FormOptions {
  /** What stands in the fields; of a change, what the page shows. */
  readonly value?: object
  readonly item?: string
  readonly only?: readonly string[]
  readonly label?: string
}

/** What a visit has just done, and the job that carries it out. */
export interface Done {
  readonly text: string
  readonly job?: Answered
  /** The fields of the form that takes it back. */
  readonly undo?: URLSearchParams
}

/** One request of a page, with everything that was read for it. */
export interface Visit {
  readonly screen: Screen
  readonly panel: PanelName
  /** `/user`, `/admin`, or `/admin/accounts/alice`. */
  readonly base: string
  /** Where this page is, without its query. */
  readonly path: string
  readonly query: URLSearchParams
  /** What the address names, as it was written there. */
  readonly names: Readonly<Record<string, string>>
  readonly session: SessionView
  /** Whose page it is; nothing on the server's own, or where the session may not see it. */
  readonly account?: AccountView | undefined
  readonly data: Answered
  readonly also: Readonly<Record<string, Answered>>
  readonly now: number
  readonly done?: Done | undefined
  /** Of a button: forms show theirs themselves. */
  readonly refusal?: Refusal | undefined
  /** The form that was refused, as it was filled in. */
  readonly typed?: URLSearchParams | undefined
  may(op: OperationId): boolean
  /** Whether there is a page at a path such as `/domains/{domain}`. */
  has(path: string): boolean
  /** An address below the base of this page. */
  href(pattern: string, values?: object, query?: object): string
  /** Where the bytes of an operation are downloaded, by what this page's address names. */
  download(op: OperationId): string
  /** The form of an operation; nothing where the session may not run it. */
  form(op: OperationId, options?: FormOptions): FormModel | undefined
}
