import type { Child } from 'hono/jsx'
import type { CountName } from '../../contract/accounts.ts'
import type { Feature } from '../../contract/common.ts'
import type { OperationId, Operations } from '../../contract/index.ts'
import type { Output } from '../../contract/operation.ts'
import type { ProblemCode } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { Field } from './field.ts'
import type { Tone } from './status.ts'
import type { Column } from './table.tsx'

/** The headings of the navigation, in their order; entries of `main` stand above all of them. */
export const groups = ['main', 'sites', 'mail', 'account', 'work', 'connect', 'server'] as const
export type Group = (typeof groups)[number]

/** A further read of a page, shown as a part of its own where the page has no view. */
export interface Ask {
  readonly run: OperationId
  /** `{name}` stands for what the address names; or what is asked follows from what the page shows. */
  readonly query?: Readonly<Record<string, string>> | ((data: Answered) => Readonly<Record<string, string>>)
  /** All that is shown of each item, where that is little of what it has. */
  readonly fields?: readonly string[]
  /** What the address asks of it. */
  readonly asks?: (query: URLSearchParams, now: number) => Readonly<Record<string, string>>
  readonly title?: string
  readonly columns?: readonly string[]
  /** The page of one of its items. */
  readonly to?: string
  /** The page of all of them. */
  readonly all?: string
  /** Only so many are shown, and the page says so where more were read: one more is asked for. */
  readonly newest?: number
  /** The id of what it is about, where the page and not its address says so. */
  readonly of?: (data: Answered) => string | undefined
  /** What only a view or a confirmation uses; the page itself does not show it. */
  readonly quiet?: true
  /** Asked only of a form that was sent, with what this makes of it; where that is refused, the answer says why. */
  readonly sends?: (typed: URLSearchParams) => object
  /** Asked once for each of what a form has sent, by the last part of its path; the answers are a list. */
  readonly each?: (typed: URLSearchParams, data: Answered) => readonly string[]
}

/** What a confirmation says will happen. */
export type Effects = readonly string[] | ((visit: Visit) => readonly string[])

/** A change that the forms of a page may post. */
export interface Act {
  /** What the done line says: "Mailbox created." */
  readonly done: string
  /** Of its button; where it is not given "Save", or the operation's summary where that changes nothing shown. */
  readonly label?: string
  readonly confirm?: Effects
  /** The page that follows it, with fields of what was answered: `/ftp/{login}`; of forms of more than one kind, by the form. */
  readonly to?: string | ((form: URLSearchParams) => string | undefined)
  /** The fields that it offers, where they are not all; of some objects it depends on what they are. */
  readonly only?: readonly string[] | ((data: Answered) => readonly string[])
  /** The fields that root alone may set. */
  readonly ofRoot?: readonly string[]
  /** What stands in its fields, where what the page shows has other names. */
  readonly value?: (data: Answered) => object
  /** What a part of its form is called. */
  readonly title?: string
  /** The one-time link that it answers is opened at once. */
  readonly follows?: true
  /** Where it can be done: only a suspended account is unsuspended. */
  readonly when?: (visit: Visit) => boolean
  /** About the item that its form names, and about nothing that the address names. */
  readonly about?: 'item'
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
  /** What takes it back by one press, offered beside what was done. */
  readonly back?: Back
}

/** The operation that takes another back. */
export interface Back {
  readonly op: OperationId
  /** The page that does it, with fields of what was answered: `/trash/{id}`; the page that follows if none is named. */
  readonly at?: string
  /** Fields of what was answered that it is told. */
  readonly told?: readonly string[]
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
  /** What a command that takes several calls it; nothing where no text says it. */
  word?(item: string): string | undefined
  /** Of one row; of all that were chosen where the operation takes them `together`. */
  told(items: readonly string[], typed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  readonly together?: true
}

/** Where a file that comes with a form goes. */
type Receives = (form: URLSearchParams, visited: Readonly<Record<string, string>>) => Omit<Sends, 'bytes'>

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
  /** Where the status alone does not say whether that is well: a job that is running, an app that is. */
  readonly tone?: Tone | undefined
  /** Of a list: how many there are. */
  readonly count?: number | undefined
  /** One line below the title. */
  readonly lead?: Child
  /** Beside the title; the last one is the main one. */
  readonly actions?: Child
  readonly body: Child
  /** Parts that can be asked for alone, by their ids. */
  readonly parts?: Readonly<Record<string, Child>>
  readonly live?: Live | undefined
}

/** What goes on while one looks at the page. */
export interface Live {
  /** There is more to come. */
  readonly goesOn: boolean
  /** Lines that have come since what was asked for, and where to go on after them. */
  readonly lines?: { readonly shown: Child; readonly after: string; readonly hasMore: boolean }
}
export type View = (visit: Visit) => Shown

export interface Nav {
  readonly group: Group
  readonly order: number
  /** What it is called there, where not by the title of its page. */
  readonly label?: string
  readonly count?: CountName
  /** Pages shown beside it as tabs, without an entry of their own. */
  readonly beside?: readonly string[]
  /** Without it the entry is left out. */
  readonly feature?: Feature
}

/** A text by which a list is narrowed. */
export interface Search {
  readonly name: string
  readonly label: string
  /** What stands in it while nothing is typed. */
  readonly example?: string
}

/** How columns of a list look, by their fields, where that is not as usual. */
export type Looks = Readonly<Record<string, Look>>

export interface Look extends Partial<Pick<Column<Answered>, 'end' | 'label'>> {
  readonly cell?: (item: Answered, now: number) => Child
}

/** A page: a view of operations. */
export interface Screen {
  /** Below the base: `/email/{mailbox}`. A name that `lookup` knows is looked up; others are ids. `{path...}` takes the rest. */
  readonly path: string
  /** Where it is in one of the two panels alone. */
  readonly only?: 'user' | 'admin'
  readonly title: string
  /** The read that the command of the page runs, where it is not what the page shows. */
  readonly says?: OperationId
  /** The word below which the pages above this one are, where it is not this page's own: a file is within `files`. */
  readonly within?: string
  /** What one of a list is called: "cron job". */
  readonly one?: string
  /** The read the page is about, or the change whose form it is; who may not run it does not see the page. */
  readonly shows: OperationId
  readonly query?: Readonly<Record<string, string>>
  /** All that its view reads of each item of a list, where that is little of what it has. */
  readonly fields?: readonly string[]
  /** The field by which the shown operation is asked for the lines that have come since. */
  readonly since?: 'log_after' | 'cursor'
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
  readonly looks?: Looks
  readonly search?: Search
  /** What stands at the end of a row, in place of what deletes it. */
  readonly rowEnd?: (item: Answered, visit: Visit) => Child
  readonly add?: { readonly to: string; readonly label: string }
  /** One line below its title. */
  readonly lead?: string
  /** What it is for, where there is nothing yet. */
  readonly empty?: string
  /** The field of an object's answer that names it. */
  readonly name?: string
  /** What can be downloaded here, with the words of its button: reads that answer bytes. */
  readonly downloads?: { readonly [Id in OperationId]?: string }
  /** Files made of what is shown, by the word of their address: `?file=mobileconfig`. */
  readonly files?: Readonly<Record<string, (data: Answered) => { readonly name: string; readonly text: string }>>
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
  readonly item?: string | undefined
  readonly only?: readonly string[]
  /** What the page itself decides: sent, and not asked for. */
  readonly fixed?: Readonly<Record<string, unknown>>
  readonly label?: string
}

/** What a visit has just done, and the job that carries it out. */
export interface Done {
  readonly text: string
  readonly job?: Answered
  /** The fields of the form that takes it back. */
  readonly undo?: URLSearchParams
  readonly back?: Back
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
  /** Where forms of this page are sent, and with what token. */
  readonly posts: Pick<FormModel, 'action' | 'csrf'>
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
