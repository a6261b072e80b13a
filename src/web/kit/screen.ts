import type { Child } from 'hono/jsx'
import type { CountName } from '../../contract/accounts.ts'
import type { Feature } from '../../contract/common.ts'
import type { OperationId, Operations } from '../../contract/index.ts'
import type { Output } from '../../contract/operation.ts'
import type { ProblemCode } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { Tone } from './format/status.ts'
import type { Suggestions } from './forms/boxes.ts'
import type { FormField } from './forms/field.ts'
import type { Column } from './lists/table.tsx'

/** The navigation's headings, in order; entries of `main` are above all headings. */
export const groups = ['main', 'sites', 'mail', 'account', 'work', 'connect', 'server'] as const
export type Group = (typeof groups)[number]

/** A further read of a page; a page without a view shows it as a section. */
export interface PageQuestion {
  readonly run: OperationId
  /** `{name}` stands for a name in the address; a function derives the query from the page's data. */
  readonly query?: Readonly<Record<string, string>> | ((data: Answered) => Readonly<Record<string, string>>)
  /** The only fields that are read of each item, if it has many more. */
  readonly fields?: readonly string[]
  /** Query parameters derived from the page's own query. */
  readonly asks?: (query: URLSearchParams, now: number) => Readonly<Record<string, string>>
  readonly title?: string
  readonly columns?: readonly string[]
  /** The page of an item. */
  readonly to?: string
  /** The page that lists all items. */
  readonly all?: string
  /** The maximum shown. One more is read, so that the page can say whether there are more. */
  readonly newest?: number
  /** The id of the object, if the page's data rather than its address gives it. */
  readonly of?: (data: Answered, session: SessionView) => string | undefined
  /** Only for a view or a confirmation; the page itself does not show it. */
  readonly quiet?: true
  /** A host call that fails, or that the object's status rules out, leaves its reason in `refused`. */
  readonly mayFail?: true
  /** Runs only for a submitted form, with the body that this makes of it; if that is refused, the answer says why. */
  readonly sends?: (typed: URLSearchParams) => object
  /** Runs once per value that this takes from the form, as the last segment of its path; the answers form a list. */
  readonly each?: (typed: URLSearchParams, data: Answered) => readonly string[]
}

/** What a confirmation says will happen. */
export type Effects = readonly string[] | ((view: ViewContext) => readonly string[])

/** Why a change cannot be made to the page's object; undefined if nothing is known to prevent it. */
export type Blocked = (view: Pick<ViewContext, 'data' | 'sections'>) => string | undefined

/** A change that a page's forms may submit. */
export interface Action {
  /** The success message: "Mailbox created." */
  readonly done: string
  /** Shows the answer on a separate page, with the way back, instead of only saying that it was done. */
  readonly result?: (answer: Answered, next: string, view: ViewContext) => Child
  /** The button's label; by default "Save", or the operation's summary if it changes nothing shown. */
  readonly label?: string
  readonly confirm?: Effects
  /** The page to redirect to, with fields of the answer: `/ftp/{login}`; may depend on the form. */
  readonly to?: string | ((form: URLSearchParams) => string | undefined)
  /** The fields to offer, if not all; may depend on the object. */
  readonly only?: readonly string[] | ((data: Answered) => readonly string[])
  /** The fields that most people fill in, beside the required ones; all others are under "More options". */
  readonly primary?: Primary
  /** Common values of fields that take any, by field. */
  readonly suggests?: Readonly<Record<string, Suggestions>>
  /** Fields that only root may set. */
  readonly ofRoot?: readonly string[]
  /** Fields that a page of their own changes. */
  readonly omits?: readonly string[]
  /** Secrets among the fields that its view draws. */
  readonly secrets?: readonly string[]
  /** The fields' values, if the page's data uses other names. */
  readonly value?: (data: Answered) => object
  /** The heading of its part of the form. */
  readonly title?: string
  /** Opens the returned one-time link immediately. */
  readonly followsLink?: true
  /** When it is available: only a suspended account can be unsuspended. */
  readonly when?: (view: ViewContext) => boolean
  /** Why it is bound to be refused: shown in place of its button. */
  readonly blocked?: Blocked
  /** Acts on the item that the form names, and not on the objects in the address. */
  readonly subject?: 'item'
  /** Acts on many rows of a list at once. */
  readonly many?: true
  /** Acts on rows without ids: how to pass the submitted ones to the operation. */
  readonly rows?: Rows
  /** Accepts the file in its form. */
  readonly upload?: UploadRequest
  /** The files in its form are a certificate of any form, its key and its chain, which are read into fields. */
  readonly certificateFiles?: true
  /** If there is a file of that name: saves the upload in its place, after a question. */
  readonly replacedBy?: OperationId
  /** The fields of which one may be filled in instead of choosing a file. */
  readonly insteadOfFile?: readonly string[]
  /** Turns the form into a body that no generated form can describe, such as lists of lists. */
  readonly toBody?: (form: URLSearchParams) => Record<string, unknown>
  /** Turns the form into bytes, for operations that take bytes. */
  readonly toBytes?: (form: URLSearchParams, visited: Readonly<Record<string, string>>) => BytesRequest
  /** Stages changes in the form before it is run. */
  readonly staging?: Staging
  /** The fields of the form that undoes it, if possible. */
  readonly undo?: (form: URLSearchParams, answer: Answered) => URLSearchParams | undefined
  /** What it removes can be had back, by means that the page does not offer. */
  readonly recoverable?: true
  /** What undoes it with one press, offered beside the success message. */
  readonly undoWith?: UndoAction
}

/** Fields that a form asks for at once; may depend on what was filled in. */
export type Primary = readonly string[] | ((typed: URLSearchParams | undefined) => readonly string[])

/** The operation that undoes another. */
export interface UndoAction {
  readonly op: OperationId
  /** The page that runs it, with fields of the answer: `/trash/{id}`; by default the page redirected to. */
  readonly at?: string
  /** Fields of the answer to pass to it. */
  readonly fields?: readonly string[]
}

/** How a form stages changes: each press submits it, and the page shows it again with the change added. */
export interface Staging {
  /** Whether to show the form again instead of running it. */
  when(form: URLSearchParams): boolean
  /** The form to show, given what was typed. */
  next(view: ViewContext): URLSearchParams
}

export interface Rows {
  name(item: string): string
  /** What a command that takes several rows calls one; undefined if it has no text form. */
  word?(item: string): string | undefined
  /** The input for one row, or for all selected rows if the operation takes them `together`. */
  input(items: readonly string[], typed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  readonly together?: true
}

/** Where to send a form's file. */
type UploadRequest = (form: URLSearchParams, visited: Readonly<Record<string, string>>) => Omit<BytesRequest, 'bytes'>

/** Bytes for an operation, with its query and headers. */
export interface BytesRequest {
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** The bytes that an operation returned, up to what a page can show. */
export interface ScreenContent {
  /** Undefined if there are more than a page can show. */
  readonly bytes?: Uint8Array
  readonly etag: string
}

export type Actions = { readonly [Id in OperationId]?: Action }

/** A page, as its view renders it. */
export interface PageView {
  readonly title: string
  /** The title is an identifier: a name, a path or a command. */
  readonly machine?: true
  readonly status?: string | undefined
  /** For statuses that can be good or bad: a job that is running, an app that is. */
  readonly tone?: Tone | undefined
  /** For a list: its number of items. */
  readonly count?: number | undefined
  /** One line below the title. */
  readonly lead?: Child
  /** Beside the title; the last one is primary. */
  readonly actions?: Child
  readonly body: Child
  /** Parts that can be requested alone, by id. */
  readonly parts?: Readonly<Record<string, Child>>
  readonly live?: Live | undefined
}

/** What changes while the page is open. */
export interface Live {
  /** Whether more is to come. */
  readonly continues: boolean
  /** New lines since the requested position, and the position after them. */
  readonly lines?: { readonly content: Child; readonly after: string; readonly hasMore: boolean }
}
export type View = (view: ViewContext) => PageView

export interface Nav {
  readonly group: Group
  readonly order: number
  /** The entry's label, if it is not the page's title. */
  readonly label?: string
  readonly count?: CountName
  /** Pages shown beside it as tabs, without entries of their own. */
  readonly beside?: readonly string[]
  /** Accounts without this feature do not see the entry. */
  readonly feature?: Feature
}

/** A text that filters a list. */
export interface Search {
  readonly name: string
  readonly label: string
  /** The placeholder. */
  readonly example?: string
}

/** Columns with a non-default look, by field. */
export type Looks = Readonly<Record<string, ColumnStyle>>

export interface ColumnStyle extends Partial<Pick<Column<Answered>, 'end' | 'label' | 'long'>> {
  readonly cell?: (item: Answered, now: number) => Child
}

/** A common case: what it is called, and the fields it fills in. */
export interface Preset {
  readonly label: string
  readonly fields: Readonly<Record<string, string | readonly string[]>>
}

/** A page: a view of operations. */
export interface Screen {
  /**
   * Below the base: `/email/{mailbox}`. Names known to `lookup` are looked up; others are ids. `{path...}` is the rest.
   */
  readonly path: string
  /** The only panel that has it; by default both. */
  readonly only?: 'user' | 'admin'
  readonly title: string
  /** The read in the page's command, if it is not what the page shows. */
  readonly says?: OperationId
  /** The first segment of the parent pages' paths, if it differs from this page's: a file is within `files`. */
  readonly within?: string
  /** A list member in words: "cron job". */
  readonly one?: string
  /** The page's read, or the change whose form it is; sessions that may not run it do not see the page. */
  readonly shows: OperationId
  readonly query?: Readonly<Record<string, string>>
  /** The only fields that its view reads of each item, if items have many more. */
  readonly fields?: readonly string[]
  /** The parameter that asks the shown operation for new lines only. */
  readonly since?: 'log_after' | 'cursor'
  /** Derives the shown operation's query from the address, if their parameter names differ. */
  readonly asks?: (query: URLSearchParams, now: number) => Readonly<Record<string, string>>
  readonly sections?: Readonly<Record<string, PageQuestion>>
  readonly acts?: Actions
  readonly view?: View
  readonly nav?: Nav
  /** Further search keywords. */
  readonly find?: readonly string[]
  /** For a list: its columns, an item's page, and the page that adds one. */
  readonly columns?: readonly string[]
  readonly to?: string
  readonly looks?: Looks
  readonly search?: Search
  /** The end of a row, instead of its delete action. */
  readonly rowEnd?: (item: Answered, view: ViewContext) => Child
  /** Details of an item, in a row of their own below its row. */
  readonly rowDetails?: (item: Answered, view: ViewContext) => Child | undefined
  readonly add?: { readonly to: string; readonly label: string }
  /** One line below its title. */
  readonly lead?: string
  /** What it is for, shown while it is empty. */
  readonly empty?: string
  /** The field that names the object. */
  readonly name?: string
  /** Downloads, with their button labels: reads that return bytes. */
  readonly downloads?: { readonly [Id in OperationId]?: string }
  /** Files generated from the page's data, by their word in the address: `?file=mobileconfig`. */
  readonly files?: Readonly<Record<string, (data: Answered) => { readonly name: string; readonly text: string }>>
  /** For a form: common cases that fill it in. */
  readonly presets?: readonly Preset[]
  /** The one that fills it in at first. */
  readonly startsFrom?: string
  /** What else fills in a form at first. */
  readonly startsWith?: (view: ViewContext) => object
  /** Fields to hide. */
  readonly hidden?: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: what an operation answered; it was checked against the contract
export type Answered = any
export type SessionView = Output<Operations['getSession']>
export type AccountView = Output<Operations['getAccount']>

/** Why a submitted form was refused. */
export interface FormRefusal {
  readonly code: ProblemCode
  readonly status: number
  readonly title: string
  readonly detail?: string | undefined
  readonly fields: Readonly<Record<string, string>>
}

/** A form that runs one operation, ready to render. */
export interface FormModel {
  readonly op: OperationId
  readonly action: string
  readonly csrf: string
  /** An idempotency key, so that a double press runs it once. */
  readonly key?: string | undefined
  /** The list member that it acts on. */
  readonly item?: string | undefined
  readonly fields: readonly FormField[]
  readonly label: string
  readonly refusal?: FormRefusal | undefined
}

export interface FormOptions {
  /** The fields' values; for a change, what the page shows. */
  readonly value?: object
  readonly item?: string | undefined
  readonly only?: readonly string[]
  /** Determined by the page: sent, but not asked for. */
  readonly fixed?: Readonly<Record<string, unknown>>
  readonly label?: string
}

/** What was just done, and the job that carries it out. */
export interface Done {
  readonly text: string
  readonly job?: Answered
  /** The fields of the form that undoes it. */
  readonly undo?: URLSearchParams
  readonly back?: UndoAction
}

/** One request for a page, with everything that was read for it. */
export interface ViewContext {
  readonly screen: Screen
  readonly panel: PanelName
  /** `/user`, `/admin`, or `/admin/accounts/alice`. */
  readonly base: string
  /** The page's path, without its query. */
  readonly path: string
  readonly query: URLSearchParams
  /** The names in the address, as written there. */
  readonly names: Readonly<Record<string, string>>
  readonly session: SessionView
  /** The account whose page it is; undefined for the server's own pages, or if the session may not see it. */
  readonly account?: AccountView | undefined
  readonly data: Answered
  readonly sections: Readonly<Record<string, Answered>>
  readonly now: number
  readonly done?: Done | undefined
  /** The refusal of a single button; forms show their own. */
  readonly refusal?: FormRefusal | undefined
  /** The refused form, as it was filled in. */
  readonly typed?: URLSearchParams | undefined
  /** The address and token for the page's forms. */
  readonly posts: Pick<FormModel, 'action' | 'csrf'>
  may(op: OperationId): boolean
  /** Whether the server has a certificate authority. */
  readonly hasAuthority: boolean
  /** Whether a page exists at a path such as `/domains/{domain}`. */
  has(path: string): boolean
  /** The nearest page above that the session may see, or the home. */
  readonly parent: string
  /** An address below this page's base. */
  href(pattern: string, values?: object, query?: object): string
  /** The address that downloads an operation's bytes, for the objects in this page's address. */
  download(op: OperationId): string
  /** An operation's form; undefined if the session may not run it. */
  form(op: OperationId, options?: FormOptions): FormModel | undefined
}
