import { z } from 'zod'
import type { areas } from './areas.ts'
import { component, Id, pageOf, paging, search } from './common.ts'
import type { EventType } from './events.ts'
import type { Allow, Declaration, TokenAreas } from './operation.ts'

/** Who may call, with which token and feature. */
type Access = Pick<Declaration, 'feature'> & { readonly allow: Allow; readonly token: TokenAreas }

interface CrudKind {
  /** In ids of operations: `createMailbox`, `listMailboxes`. */
  readonly one: string
  readonly many: string
  /** In texts and responses: `{mailbox, job_id}`. */
  readonly noun: string
  /** The path below the account's, and its parameter. */
  readonly path: string
  readonly param: string
  readonly area: keyof typeof areas
  readonly resource: z.ZodObject
  readonly create: z.ZodObject
  readonly update: z.ZodObject
  readonly read: Access
  readonly change: Access
  /** The first words of its commands. */
  readonly words: readonly [string, ...string[]]
  readonly columns: readonly string[]
  /** The kinds of jobs that apply changes, and the events for them. */
  readonly jobs: { readonly create: string; readonly update: string; readonly delete: string }
  readonly emits: { readonly [Change in 'create' | 'update' | 'delete']: readonly EventType[] }
}

const ended = ['job.completed', 'job.failed'] as const

/**
 * The five usual declarations for account objects: a searchable paged list, and changes with a job, each returning the
 * object and the job's id. Differences are spread over: `operation({ ...mailboxes.create, … })`.
 */
export function accountObjects<const K extends CrudKind>(kind: K) {
  const path = `/accounts/{id}/${kind.path as K['path']}` as const
  const member = `${path}/{${kind.param as K['param']}}` as const
  const account = { id: Id.describe('The account') }
  const params = z.strictObject(account)
  const named = { [kind.param]: Id.describe(`The ${kind.noun}`) } as Record<K['param'], typeof Id>
  const memberParams = z.strictObject({ ...account, ...named })
  const changed = { [kind.noun]: kind.resource } as Record<K['noun'], K['resource']>
  const answer = component(
    `${kind.one}Accepted`,
    z.strictObject({ ...changed, job_id: Id.describe('The job that applies the change') }),
  )
  const cli = (verb: string, more = '') => ({
    words: [...kind.words, verb] as const,
    variant: 'account' as const,
    columns: kind.columns,
    examples: [`panel ${[...kind.words, verb].join(' ')}${more} --account alice`],
  })
  const change = (verb: keyof CrudKind['jobs']) => ({
    area: kind.area,
    status: 202 as const,
    answer,
    job: kind.jobs[verb],
    emits: [...kind.emits[verb], ...ended],
    ...kind.change,
  })
  return {
    list: {
      id: `list${kind.many as K['many']}` as const,
      method: 'get' as const,
      path,
      params,
      area: kind.area,
      summary: `List an account's ${kind.noun}s`,
      query: z.strictObject({ ...paging, q: search('name') }),
      status: 200 as const,
      answer: pageOf(kind.resource as K['resource']),
      ...kind.read,
      cli: cli('list'),
    },
    create: {
      id: `create${kind.one as K['one']}` as const,
      method: 'post' as const,
      path,
      params,
      summary: `Create a ${kind.noun}`,
      body: component(`Create${kind.one}`, kind.create as K['create']),
      ...change('create'),
      cli: { ...cli('create'), show: kind.noun },
    },
    get: {
      id: `get${kind.one as K['one']}` as const,
      method: 'get' as const,
      path: member,
      params: memberParams,
      area: kind.area,
      summary: `Show a ${kind.noun}`,
      status: 200 as const,
      answer: kind.resource as K['resource'],
      ...kind.read,
      cli: cli('show', ` ${example}`),
    },
    update: {
      id: `update${kind.one as K['one']}` as const,
      method: 'patch' as const,
      path: member,
      params: memberParams,
      summary: `Change a ${kind.noun}`,
      body: component(`Update${kind.one}`, kind.update as K['update']),
      ...change('update'),
      cli: { ...cli('update', ` ${example}`), show: kind.noun },
    },
    delete: {
      id: `delete${kind.one as K['one']}` as const,
      method: 'delete' as const,
      path: member,
      params: memberParams,
      summary: `Delete a ${kind.noun}`,
      ...change('delete'),
      cli: { ...cli('delete', ` ${example}`), show: kind.noun, confirm: 'yes' as const },
    },
  } satisfies Record<string, Declaration>
}

const example = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'
