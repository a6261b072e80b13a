import { type OperationId, operationList, operations } from '../../contract/index.ts'
import { lookupKinds } from '../../contract/lookup.ts'
import type { Declaration, Method } from '../../contract/operation.ts'
import { sentence } from './i18n/label.ts'
import type { Action, Actions, Effects, Preset, Primary, Screen, UndoAction, View } from './screen.ts'

/** Passed on to the pages unchanged: path, title and columns are the list's. */
type Shared =
  | 'path'
  | 'title'
  | 'nav'
  | 'find'
  | 'columns'
  | 'empty'
  | 'name'
  | 'rowEnd'
  | 'looks'
  | 'sections'
  | 'downloads'
  | 'hidden'

export interface Crud extends Pick<Screen, Shared> {
  /** The object in words: "FTP account". */
  readonly one: string
  /** The placeholder for one in addresses: a kind of `lookup` for names, or any word for an id. */
  readonly member: string
  /** What a new one was, if not created: installed. */
  readonly made?: string
  /** The label of the button that opens the form: "Add an FTP account". */
  readonly add?: string
  /** The fields of a new one that most people fill in, and common cases. */
  readonly primary?: Primary
  /** Those of an existing one. */
  readonly edits?: readonly string[]
  /** Common values of fields that take any, by field. */
  readonly suggests?: Action['suggests']
  /** Fields of a new one that only root may set. */
  readonly ofRoot?: readonly string[]
  readonly presets?: readonly Preset[]
  /** The label of the one that fills in the form at first. */
  readonly startsFrom?: string
  /** What else a deletion removes. */
  readonly deletes?: Effects
  /** Why one cannot be deleted. */
  readonly keeps?: Action['blocked']
  /** What undoes a deletion. */
  readonly back?: UndoAction
  /** Further changes of a member. */
  readonly acts?: Actions
  /** The actions of a list row. */
  readonly each?: Actions
  readonly views?: { readonly list?: View; readonly one?: View; readonly add?: View }
}

interface Operations {
  readonly list: OperationId
  readonly create: OperationId | undefined
  readonly get: OperationId | undefined
  readonly update: OperationId | undefined
  readonly remove: OperationId | undefined
}

/** The usual pages for a collection: list, new, and a member's page to show, change and delete it. */
export function crud(list: OperationId, kind: Crud): Screen[] {
  const found = operationsOn(list)
  return [
    listScreen(found, kind),
    ...(found.create ? [newScreen(found.create, found, kind)] : []),
    ...(found.get ? [memberScreen(found.get, found, kind)] : []),
  ]
}

const at = (path: string, method: Method): OperationId | undefined =>
  operationList.find((op) => op.path === path && op.method === method)?.id as OperationId | undefined

/** The other operations on a list's path, and on its members' path. */
function operationsOn(list: OperationId): Operations {
  const { path } = operations[list]
  const isMember = (op: Declaration): boolean =>
    op.path.startsWith(`${path}/{`) && /^\{\w+\}$/.test(op.path.slice(path.length + 1))
  const member = operationList.find(isMember)?.path ?? ''
  return {
    list,
    create: at(path, 'post'),
    get: at(member, 'get'),
    update: at(member, 'patch') ?? at(member, 'put'),
    remove: at(member, 'delete'),
  }
}

/** `/ftp/{login}`, `/cron/{id}`: a member's page, with a field of the list as its placeholder. */
const pageOf = ({ path, member, name = 'id' }: Crud): string =>
  `${path}/{${Object.hasOwn(lookupKinds, member) ? name : 'id'}}`

const adds = ({ add, one }: Crud): string =>
  add ?? `Add ${/^([aeio]|FTP|SSH|SSL|IP |API|ACL)/.test(one) ? 'an' : 'a'} ${one}`

const removal = ({ one, deletes, back, keeps }: Crud): Action => ({
  done: `${sentence(one)} deleted.`,
  label: `Delete the ${one}`,
  ...(deletes && { confirm: deletes }),
  ...(back && { undoWith: back }),
  ...(keeps && { blocked: keeps }),
})

function listScreen({ list, create, get, remove }: Operations, kind: Crud): Screen {
  const { path, title, one, nav, find, columns, empty, name, views } = kind
  const { feature } = (create ? operations[create] : {}) as Partial<Declaration>
  return normalized({
    ...{ path, title, one, shows: list, find, columns, empty, name, view: views?.list },
    nav: nav && { ...(typeof feature === 'string' && { feature }), ...nav },
    to: get && pageOf(kind),
    add: create && { to: `${path}/new`, label: adds(kind) },
    ...{ rowEnd: kind.rowEnd, looks: kind.looks },
    acts: kind.each ?? (get || !remove ? undefined : { [remove]: removal(kind) }),
  })
}

function newScreen(create: OperationId, { get }: Operations, kind: Crud): Screen {
  const done = `${sentence(kind.one)} ${kind.made ?? 'created'}.`
  return {
    path: `${kind.path}/new`,
    title: adds(kind),
    shows: create,
    ...(kind.presets && { presets: kind.presets }),
    ...(kind.startsFrom && { startsFrom: kind.startsFrom }),
    ...(kind.views?.add && { view: kind.views.add }),
    acts: {
      [create]: {
        ...{ done, label: adds(kind), to: get ? pageOf(kind) : kind.path },
        ...(kind.primary && { primary: kind.primary }),
        ...(kind.suggests && { suggests: kind.suggests }),
        ...(kind.ofRoot && { ofRoot: kind.ofRoot }),
      },
    },
  }
}

function memberScreen(get: OperationId, { update, remove }: Operations, kind: Crud): Screen {
  const { path, one, name, sections, downloads, hidden, member, views, edits, suggests } = kind
  return normalized({
    ...{ path: `${path}/{${member}}`, title: sentence(one), one, shows: get },
    ...{ sections, downloads, hidden, name, view: views?.one },
    acts: {
      ...(update && {
        [update]: {
          done: `${sentence(one)} changed.`,
          ...(edits && { primary: edits }),
          ...(suggests && { suggests }),
        },
      }),
      ...kind.acts,
      ...(remove && { [remove]: { ...removal(kind), to: path } }),
    },
  })
}

type Loose<T> = { readonly [Name in keyof T]: T[Name] | undefined }

/** Drops undefined values. */
const normalized = (screen: Loose<Screen>): Screen =>
  Object.fromEntries(Object.entries(screen).filter(([, value]) => value !== undefined)) as object as Screen
