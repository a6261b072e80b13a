import fc, { type AsyncCommand } from 'fast-check'
import { expect, test } from 'vitest'
import { type Json, type Reply, TestPanel } from '../harness.ts'
import { unknown } from '../world.ts'

interface Account {
  readonly id: string
  readonly package: string
  readonly owner: string
  reseller: boolean
  status: 'provisioning' | 'active' | 'suspended' | 'terminating'
}

/** What a panel should contain, in a few maps. */
interface Model {
  readonly accounts: Map<string, Account>
  readonly packages: Map<string, string>
  readonly root: string
  /** Queued jobs by kind, and how many of them have ended. */
  jobs: string[]
  ended: number
  /** Ids of accounts whose termination was requested: it cancels their queued jobs. */
  readonly terminated: Set<string>
}

interface Real {
  readonly panel: TestPanel
}

type Command = AsyncCommand<Model, Real>

const first = ({ status, code }: Reply): string => `${status} ${code ?? ''}`.trim()
const names = ['alice', 'bob', 'carol', 'dora'] as const
const packages = ['small', 'large'] as const

const idOf = (model: Model, name: string): string => model.accounts.get(name)?.id ?? unknown
const packageId = (model: Model, name: string): string => model.packages.get(name) ?? unknown

/** One call, its expected response, and its effect on the model. */
function command(
  words: string,
  call: (model: Model, real: Real) => Promise<Reply>,
  expected: (model: Model) => string,
  then: (model: Model, body: Json) => void,
): Command {
  return {
    check: () => true,
    async run(model, real) {
      const desired = expected(model)
      const reply = await call(model, real)
      expect(first(reply), `${words}: ${JSON.stringify(reply.body)}`).toBe(desired)
      if (reply.status < 400) then(model, reply.body)
      await agree(model, real)
    },
    toString: () => words,
  }
}

const createPackage = (name: string): Command =>
  command(
    `create package ${name}`,
    (_, { panel }) => panel.post('/packages', { name }),
    (model) => (model.packages.has(name) ? '409 exists' : '201'),
    (model, body) => void model.packages.set(name, body.id),
  )

const deletePackage = (name: string): Command =>
  command(
    `delete package ${name}`,
    (model, { panel }) => panel.delete(`/packages/${packageId(model, name)}`),
    (model) => {
      if (!model.packages.has(name)) return '404 not-found'
      return [...model.accounts.values()].some((one) => one.package === name) ? '409 in-use' : '204'
    },
    (model) => void model.packages.delete(name),
  )

/** The possible owners of a new account: root, or an existing reseller. */
const mayOwn = (model: Model, owner: string | undefined): boolean =>
  owner === undefined || model.accounts.get(owner)?.reseller === true

const create = (name: string, plan: string, reseller: boolean, owner?: string): Command =>
  command(
    `create ${reseller ? 'reseller' : 'account'} ${name} in ${plan} of ${owner ?? 'root'}`,
    (model, { panel }) =>
      panel.post('/accounts', {
        username: name,
        domain: `${name}.example`,
        package_id: packageId(model, plan),
        make_reseller: reseller,
        ...(owner === undefined ? {} : { owner_id: idOf(model, owner) }),
      }),
    (model) =>
      model.accounts.has(name) || !model.packages.has(plan) || !mayOwn(model, owner) ? '400 validation' : '202',
    (model, { account }) => {
      const owner_id = owner === undefined ? model.root : idOf(model, owner)
      model.accounts.set(name, { id: account.id, package: plan, owner: owner_id, reseller, status: 'provisioning' })
      model.jobs.push('account.create')
    },
  )

/** 404 if it does not exist, 409 if it is being deleted. */
const reachable = (model: Model, name: string): string | undefined => {
  const account = model.accounts.get(name)
  if (!account) return '404 not-found'
  return account.status === 'terminating' ? '409 busy' : undefined
}

const suspend = (name: string): Command =>
  command(
    `suspend ${name}`,
    (model, { panel }) => panel.post(`/accounts/${idOf(model, name)}/suspend`, { reason: 'unpaid' }),
    (model) => reachable(model, name) ?? '202',
    (model) => {
      model.accounts.get(name)!.status = 'suspended'
      model.jobs.push('account.suspend')
    },
  )

const unsuspend = (name: string): Command =>
  command(
    `unsuspend ${name}`,
    (model, { panel }) => panel.post(`/accounts/${idOf(model, name)}/unsuspend`),
    (model) => reachable(model, name) ?? '202',
    (model, { account }) => {
      model.accounts.get(name)!.status = account.status
      expect(['active', 'provisioning']).toContain(account.status)
      model.jobs.push('account.unsuspend')
    },
  )

const move = (name: string, plan: string): Command =>
  command(
    `move ${name} to ${plan}`,
    (model, { panel }) => panel.put(`/accounts/${idOf(model, name)}/package`, { package_id: packageId(model, plan) }),
    (model) => {
      const unreachable = reachable(model, name)
      if (unreachable === '404 not-found') return unreachable
      return model.packages.has(plan) ? (unreachable ?? '202') : '400 validation'
    },
    (model) => {
      const account = model.accounts.get(name)!
      model.accounts.set(name, { ...account, package: plan })
      model.jobs.push('account.change_package')
    },
  )

const terminate = (name: string): Command =>
  command(
    `terminate ${name}`,
    (model, { panel }) => panel.delete(`/accounts/${idOf(model, name)}?confirm=${name}`),
    (model) => {
      const account = model.accounts.get(name)
      if (!account) return '404 not-found'
      const owns = [...model.accounts.values()].some(({ owner, id }) => owner === account.id && id !== account.id)
      return owns ? '409 in-use' : '202'
    },
    (model) => {
      const account = model.accounts.get(name)!
      if (account.status !== 'terminating') model.jobs.push('account.terminate')
      account.status = 'terminating'
      account.reseller = false
      model.terminated.add(account.id)
    },
  )

/** All pending work is done; what was being deleted is gone. */
const settle: Command = {
  check: () => true,
  async run(model, real) {
    await real.panel.settle()
    for (const [name, account] of model.accounts) {
      if (account.status === 'terminating') model.accounts.delete(name)
      else if (account.status === 'provisioning') account.status = 'active'
    }
    model.ended = model.jobs.length
    await agree(model, real)
  },
  toString: () => 'settle',
}

const restart: Command = {
  check: () => true,
  async run(model, real) {
    await real.panel.restart()
    await settle.run(model, real)
  },
  toString: () => 'restart',
}

/** The panel agrees with the model, on every account, package, reseller and job. */
async function agree(model: Model, { panel }: Real): Promise<void> {
  const [accounts, plans, resellers, jobs] = await Promise.all(
    ['/accounts', '/packages', '/resellers', '/jobs?per_page=500'].map((path) => panel.get(path)),
  )
  const rows = accounts!.body.items.map((one: Json) => [
    one.username,
    one.id,
    one.package_name,
    one.owner_id,
    one.is_reseller,
    one.status,
  ])
  const inModel = [...model.accounts].map(([name, one]) => [
    name,
    one.id,
    one.package,
    one.owner,
    one.reseller,
    one.status,
  ])
  expect(rows.map(loose)).toEqual(inModel.map(loose))
  expect(
    plans!.body.items
      .map((one: Json) => one.name)
      .filter((name: string) => name !== 'default')
      .sort(),
  ).toEqual([...model.packages.keys()].sort())
  const sellers = [...model.accounts].filter(([, one]) => one.reseller).map(([, { id }]) => id)
  expect(resellers!.body.items.map((one: Json) => one.id).sort()).toEqual(sellers.sort())
  expect(jobs!.body.items.map((one: Json) => one.kind)).toEqual(model.jobs)
  const hasEnded = ({ status, account_id }: Json) =>
    status === 'succeeded' || (status === 'cancelled' && model.terminated.has(account_id))
  const finished = jobs!.body.items.filter(hasEnded).length
  expect(finished).toBeGreaterThanOrEqual(model.ended)
}

/** A job may end before it is awaited: until then an account may be ahead of the model. */
function loose(row: unknown[]): unknown[] {
  const status = row.at(-1)
  return [...row.slice(0, -1), status === 'provisioning' ? 'active' : status]
}

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const name = oneOf(names)
const plan = oneOf(packages)

const commands = [
  plan.map(createPackage),
  plan.map(deletePackage),
  fc.tuple(name, plan, fc.boolean(), fc.option(name, { nil: undefined })).map((all) => create(...all)),
  name.map(suspend),
  name.map(unsuspend),
  fc.tuple(name, plan).map((all) => move(...all)),
  name.map(terminate),
  fc.constant(settle),
  fc.constant(restart),
]

test('behaves like a simple model of accounts, packages, resellers and jobs', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (steps) => {
      const panel = await new TestPanel({}).start()
      try {
        const root = (await panel.get('/packages')).body.items[0].owner_id
        const model = {
          accounts: new Map(),
          packages: new Map(),
          root,
          jobs: [],
          ended: 0,
          terminated: new Set<string>(),
        }
        await fc.asyncModelRun(() => ({ model, real: { panel } }), steps)
      } finally {
        await panel.stop()
      }
    }),
    { numRuns: 20, endOnFailure: true },
  )
})
