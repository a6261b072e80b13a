import { type OperationId, operationList, operations } from '../../contract/index.ts'
import { lookupKinds } from '../../contract/lookup.ts'
import type { Declaration, Method } from '../../contract/operation.ts'
import { sentence } from './label.ts'
import type { Act, Acts, Back, Effects, Screen, View } from './screen.ts'

/** What the pages take over as it is: path, title and columns are those of the list. */
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
  | 'also'
  | 'downloads'

export interface Crud extends Pick<Screen, Shared> {
  /** What one is called: "FTP account". */
  readonly one: string
  /** What an address calls one: a kind of `lookup`, whose names stand in addresses, or any word for an id. */
  readonly member: string
  /** Of the button that leads to the form: "Add an FTP account". */
  readonly add?: string
  /** What a deletion takes along. */
  readonly deletes?: Effects
  /** What takes a deletion back. */
  readonly back?: Back
  /** Further changes of one. */
  readonly acts?: Acts
  /** What its row on the list leads to. */
  readonly each?: Acts
  readonly views?: { readonly list?: View; readonly one?: View }
}

interface Operations {
  readonly list: OperationId
  readonly create: OperationId | undefined
  readonly get: OperationId | undefined
  readonly update: OperationId | undefined
  readonly remove: OperationId | undefined
}

/** The usual pages of what an area has: list, new, and one of them to show, change and delete. */
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

/** What else is done at the path of a list, and at that of its members. */
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

/** `/ftp/{login}`, `/cron/{id}`: the page of one, by what a list tells of it. */
const pageOf = ({ path, member, name = 'id' }: Crud): string =>
  `${path}/{${Object.hasOwn(lookupKinds, member) ? name : 'id'}}`

const adds = ({ add, one }: Crud): string =>
  add ?? `Add ${/^([aeio]|FTP|SSH|SSL|IP |API|ACL)/.test(one) ? 'an' : 'a'} ${one}`

const removal = ({ one, deletes, back }: Crud): Act => ({
  done: `${sentence(one)} deleted.`,
  label: `Delete the ${one}`,
  ...(deletes && { confirm: deletes }),
  ...(back && { back }),
})

function listScreen({ list, create, get, remove }: Operations, kind: Crud): Screen {
  const { path, title, one, nav, find, columns, empty, name, views } = kind
  const { feature } = (create ? operations[create] : {}) as Partial<Declaration>
  return given({
    ...{ path, title, one, shows: list, find, columns, empty, name, view: views?.list },
    nav: nav && { ...(typeof feature === 'string' && { feature }), ...nav },
    to: get && pageOf(kind),
    add: create && { to: `${path}/new`, label: adds(kind) },
    ...{ rowEnd: kind.rowEnd, looks: kind.looks },
    acts: kind.each ?? (get || !remove ? undefined : { [remove]: removal(kind) }),
  })
}

function newScreen(create: OperationId, { get }: Operations, kind: Crud): Screen {
  const done = `${sentence(kind.one)} created.`
  return {
    path: `${kind.path}/new`,
    title: adds(kind),
    shows: create,
    acts: { [create]: { done, label: adds(kind), to: get ? pageOf(kind) : kind.path } },
  }
}

function memberScreen(get: OperationId, { update, remove }: Operations, kind: Crud): Screen {
  const { path, one, name, also, downloads, member, views } = kind
  return given({
    ...{ path: `${path}/{${member}}`, title: sentence(one), one, shows: get },
    ...{ also, downloads, name, view: views?.one },
    acts: {
      ...(update && { [update]: { done: `${sentence(one)} changed.` } }),
      ...kind.acts,
      ...(remove && { [remove]: { ...removal(kind), to: path } }),
    },
  })
}

type Loose<T> = { readonly [Name in keyof T]: T[Name] | undefined }

/** Drops undefined values. */
const given = (screen: Loose<Screen>): Screen =>
  Object.fromEntries(Object.entries(screen).filter(([, value]) => value !== undefined)) as object as Screen
