import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Claim, claim } from '../../src/areas/webhooks/claim.sql.ts'
import { recover, shiftBack } from '../../src/areas/webhooks/recover.sql.ts'
import { steps } from '../../src/areas/webhooks/schedule.ts'
import { settle } from '../../src/areas/webhooks/settle.sql.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { event, hour, minute, webhook } from './helpers.ts'

interface Expected {
  hook: Hook
  status: string
  /** Attempts of the schedule that came to an end. */
  ended: number
  number: number
  retryAt: number | null
  requested: boolean
  claim: Claim | undefined
  /** How many times the server was killed during an attempt. */
  interrupted: number
  attempts: number
}
interface Hook {
  id: string
  on: boolean
  failures: number
}
/** What should be in the store, by delivery id. */
interface Model {
  hooks: Hook[]
  rows: Map<string, Expected>
  /** Claims of an earlier life: their results must change nothing. */
  ghosts: Claim[]
}
interface Row {
  id: string
  status: string
  number: number
  retry_at: number | null
  asked_at: number | null
  sent_at: number | null
  due_at: number | null
  attempts: number
}
interface Real {
  panel: TestPanel
  names: number
}
type Command = fc.AsyncCommand<Model, Real>

const rowsOf = ({ panel }: Real, hook: Hook): Row[] =>
  panel.store.sqlite
    .prepare(
      'SELECT d.*, (SELECT count(*) FROM delivery_attempts WHERE delivery_id = d.id) AS attempts FROM deliveries d WHERE webhook_id = ? ORDER BY id',
    )
    .all(hook.id) as Row[]

const runtimeOf = ({ panel }: Real) => panel.panel.runtime
const now = ({ panel }: Real) => panel.clock.now()
const isOpen = (row: Expected) => row.status === 'pending' || row.status === 'retrying'

/** What the store says is what should be in it, after every command. */
function check(model: Model, real: Real): void {
  for (const hook of model.hooks) {
    const rows = rowsOf(real, hook)
    const expected = [...model.rows].filter(([, one]) => one.hook === hook)
    expect(rows.map(({ id }) => id)).toEqual(expected.map(([id]) => id).sort())
    for (const row of rows) same(row, model.rows.get(row.id)!, now(real))
    const stored = real.panel.store.sqlite.prepare('SELECT * FROM webhooks WHERE id = ?').get(hook.id)
    expect(stored).toMatchObject({ enabled: hook.on ? 1 : 0, consecutive_failures: hook.failures })
  }
}

function same(row: Row, expected: Expected, time: number): void {
  const { status, number, attempts } = expected
  expect(row).toMatchObject({ status, number, attempts })
  expect(row.asked_at !== null).toBe(expected.requested)
  expect(row.asked_at ?? time).toBeLessThanOrEqual(time)
  expect(row.sent_at !== null).toBe(expected.claim !== undefined)
  expect(row.retry_at).toBe(expected.retryAt)
  const mayBeSent = row.due_at !== null || row.sent_at !== null
  if (isOpen(expected)) expect([mayBeSent, expected.hook.on]).toEqual([true, true])
  expect(expected.ended).toBeLessThanOrEqual(8)
  if (status === 'abandoned') expect(expected.ended).toBe(8)
}

const command = (
  name: string,
  check0: (model: Model) => boolean,
  act: (model: Model, real: Real) => Promise<void>,
): Command => ({
  check: check0,
  async run(model, real) {
    await act(model, real)
    check(model, real)
  },
  toString: () => name,
})

const happen = (): Command =>
  command(
    'event',
    () => true,
    async (model, real) => {
      await event(real.panel, `name${real.names++}`)
      for (const hook of model.hooks) {
        const fresh = rowsOf(real, hook).filter(({ id }) => !model.rows.has(id))
        expect(fresh).toHaveLength(1)
        const status = hook.on ? 'pending' : 'skipped'
        const retryAt = hook.on ? now(real) : null
        const rest = { ended: 0, number: 0, requested: false, claim: undefined, interrupted: 0, attempts: 0 }
        model.rows.set(fresh[0]!.id, { hook, status, retryAt, ...rest })
      }
    },
  )

const take = (which: number, count: number): Command =>
  command(
    `claim ${count} of ${which}`,
    (model) => model.hooks.length > which,
    async (model, real) => {
      const hook = model.hooks[which]!
      const dueRows = [...model.rows.values()].filter(
        (row) =>
          row.hook === hook && !row.claim && (row.requested || (row.retryAt !== null && row.retryAt <= now(real))),
      )
      const claims = await real.panel.store.change(() => claim(runtimeOf(real), hook.id, count, now(real)))
      expect(claims).toHaveLength(Math.min(count, dueRows.length))
      for (const one of claims) began(model.rows.get(one.id)!, one)
    },
  )

function began(row: Expected, one: Claim): void {
  expect(one.number).toBe(row.number + 1)
  expect(one.flight).toBe(row.requested ? 'asked' : 'schedule')
  if (!row.hook.on) expect(one.flight).toBe('asked')
  row.number = one.number
  row.claim = one
  if (one.flight === 'schedule') row.retryAt = null
  row.requested = false
}

const end = (which: number, ok: boolean): Command =>
  command(
    `${ok ? 'succeed' : 'fail'} ${which}`,
    (model) => aloft(model).length > 0,
    async (model, real) => {
      const rows = aloft(model)
      const [id, row] = rows[which % rows.length]!
      const flown = row.claim!
      const outcome = {
        at: now(real),
        duration_ms: 1,
        ...(ok ? { http_status: 200 } : { http_status: 500, error: 'status' as const }),
      }
      await real.panel.store.change(() => void settle(runtimeOf(real), { claim: flown, outcome }))
      row.claim = undefined
      row.attempts++
      if (flown.flight === 'schedule') row.ended++
      land(row, flown, ok, real, id)
      hold(model, row.hook, ok)
    },
  )

const aloft = (model: Model) => [...model.rows].filter(([, row]) => row.claim !== undefined)

function land(row: Expected, flown: Claim, ok: boolean, real: Real, id: string): void {
  if (ok) {
    row.status = 'succeeded'
    row.retryAt = null
  } else if (flown.flight === 'schedule' && isOpen(row)) {
    const step = steps[row.ended - 1]
    row.status = step === undefined ? 'abandoned' : 'retrying'
    row.retryAt = null
    if (step === undefined) return
    const { retry_at } = rowsOf(real, row.hook).find((one) => one.id === id)!
    if (retry_at === null) return
    expect(retry_at - now(real)).toBeGreaterThanOrEqual(step)
    expect(retry_at - now(real)).toBeLessThanOrEqual(1.1 * step)
    row.retryAt = retry_at
  }
}

/** The counter is the trailing failures while it is on; the fiftieth switches it off. */
function hold(model: Model, hook: Hook, ok: boolean): void {
  if (!hook.on) return
  hook.failures = ok ? 0 : hook.failures + 1
  if (hook.failures === 50) switchOff(model, hook)
}

function switchOff(model: Model, hook: Hook): void {
  hook.on = false
  for (const row of model.rows.values())
    if (row.hook === hook && isOpen(row)) Object.assign(row, { status: 'skipped', retryAt: null })
}

/** A death, and a start at a time that may be earlier: no process saw the clock go back. */
const crash = (back = 0): Command =>
  command(
    back === 0 ? 'crash' : `crash, and the clock goes back ${back} ms`,
    () => true,
    async (model, real) => {
      real.panel.clock.jump(-back)
      await real.panel.store.change(() => void recover(runtimeOf(real)))
      for (const [, row] of aloft(model)) {
        model.ghosts.push(row.claim!)
        if (row.claim!.flight === 'asked') row.requested = true
        else if (isOpen(row)) row.retryAt = now(real)
        row.claim = undefined
        row.interrupted++
        row.attempts++
      }
      for (const row of model.rows.values())
        if (row.retryAt !== null) row.retryAt = Math.min(row.retryAt, now(real) + furthestOf(row))
    },
  )

/** The longest wait after this many attempts of the schedule: none before the first. */
const furthestOf = ({ ended }: Expected): number => (ended === 0 ? 0 : Math.floor(steps[ended - 1]! * 1.1))

const ghost = (): Command =>
  command(
    'a result from before the crash',
    (model) => model.ghosts.length > 0,
    async (model, real) => {
      const outcome = { at: now(real), duration_ms: 1, http_status: 200 }
      await real.panel.store.change(() => void settle(runtimeOf(real), { claim: model.ghosts.pop()!, outcome }))
    },
  )

const turn = (which: number, on: boolean): Command =>
  command(
    `switch ${which} ${on ? 'on' : 'off'}`,
    (model) => model.hooks.length > which,
    async (model, real) => {
      const hook = model.hooks[which]!
      await real.panel.patch(`/webhooks/${hook.id}`, { enabled: on })
      if (on && !hook.on) Object.assign(hook, { on, failures: 0 })
      if (!on && hook.on) switchOff(model, hook)
    },
  )

const again = (which: number): Command =>
  command(
    `redeliver ${which}`,
    (model) => model.rows.size > 0,
    async (model, real) => {
      const rows = [...model.rows]
      const [id, row] = rows[which % rows.length]!
      expect((await real.panel.post(`/webhooks/${row.hook.id}/deliveries/${id}/redeliver`)).status).toBe(202)
      row.requested = true
    },
  )

const allAgain = (which: number): Command =>
  command(
    `redeliver all of ${which}`,
    (model) => model.hooks.length > which,
    async (model, real) => {
      const hook = model.hooks[which]!
      const rows = [...model.rows.values()].filter(
        (row) =>
          row.hook === hook &&
          !row.claim &&
          !row.requested &&
          ['retrying', 'abandoned', 'skipped'].includes(row.status),
      )
      const { body } = await real.panel.post(`/webhooks/${hook.id}/redeliver`, { since: 0 })
      expect(body).toEqual({ count: rows.length })
      for (const row of rows) row.requested = true
    },
  )

const remove = (which: number): Command =>
  command(
    `delete ${which}`,
    (model) => model.hooks.length > which,
    async (model, real) => {
      const [hook] = model.hooks.splice(which, 1)
      await real.panel.delete(`/webhooks/${hook!.id}`)
      for (const [id, row] of [...model.rows])
        if (row.hook === hook) {
          if (row.claim) model.ghosts.push(row.claim)
          model.rows.delete(id)
        }
    },
  )

const jump = (ms: number): Command =>
  command(
    `${ms} ms pass`,
    () => true,
    async (model, real) => {
      real.panel.clock.jump(ms)
      if (ms >= 0) return
      await real.panel.store.change(() => shiftBack(runtimeOf(real), -ms))
      for (const row of model.rows.values()) if (row.retryAt !== null) row.retryAt += ms
    },
  )

const which = fc.nat(1)
const commands = [
  fc.constant(happen()),
  fc.constant(happen()),
  fc.tuple(which, fc.integer({ min: 1, max: 4 })).map(([one, count]) => take(one, count)),
  fc.tuple(which, fc.integer({ min: 1, max: 4 })).map(([one, count]) => take(one, count)),
  fc.nat(20).map((one) => end(one, true)),
  fc.nat(20).map((one) => end(one, false)),
  fc.nat(20).map((one) => end(one, false)),
  fc.constantFrom(0, 0, 10 * minute, 30 * hour).map(crash),
  fc.constant(ghost()),
  fc.tuple(which, fc.boolean()).map(([one, on]) => turn(one, on)),
  fc.nat(50).map(again),
  which.map(allAgain),
  fc.constant(remove(1)),
  fc.constantFrom(minute, 6 * minute, hour, 30 * hour, -10 * minute).map(jump),
]

async function play(panel: TestPanel, list: Iterable<Command>): Promise<void> {
  const hooks: Hook[] = []
  for (const place of [1, 2]) {
    const { id } = await webhook(panel, { url: `http://127.0.0.1:${place}/` })
    hooks.push({ id, on: true, failures: 0 })
  }
  const model: Model = { hooks, rows: new Map(), ghosts: [] }
  try {
    await fc.asyncModelRun(() => ({ model, real: { panel, names: names++ * 1000 } }), list)
  } finally {
    await clear(panel)
  }
}

/** A run that fails must leave nothing behind either: it is run again and again to be shrunk. */
async function clear(panel: TestPanel): Promise<void> {
  for (const { id } of (await panel.get('/webhooks')).body.items) await panel.delete(`/webhooks/${id}`)
  await panel.store.change(() => void panel.store.sqlite.exec('DELETE FROM deliveries; DELETE FROM delivery_attempts'))
}
let names = 1

/** The store's part alone: what the dispatcher does is done here, command by command. */
async function quietPanel(): Promise<TestPanel> {
  const panel = await startPanel()
  await panel.dispatcher.stop()
  return panel
}

test('whatever happens, no delivery is lost, numbers rise, ends stay ends, and the counter is right', async () => {
  const panel = await quietPanel()
  const { MODEL_RUNS: runs = 60, MODEL_SEED: seed } = process.env
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 80, size: 'max' }), (list) => play(panel, list)),
    { numRuns: Number(runs), ...(seed === undefined ? {} : { seed: Number(seed) }) },
  )
}, 120_000)

test('follows the same model through the whole schedule and the fifty failures', async () => {
  const panel = await quietPanel()
  const ladder = [
    happen(),
    ...Array.from({ length: 8 }, () => [take(0, 1), crash(), take(0, 1), end(0, false), jump(30 * hour)]).flat(),
  ]
  await play(panel, [...ladder, take(0, 1), again(0), take(0, 1), end(0, true)])
  const one = [happen(), take(0, 1), end(0, false), turn(1, false)]
  await play(panel, [
    ...Array.from({ length: 52 }, () => one).flat(),
    turn(0, true),
    allAgain(0),
    take(0, 4),
    end(0, true),
  ])
}, 30_000)

test('a clock that goes back during an attempt delays neither the redelivery nor the schedule', async () => {
  const panel = await quietPanel()
  const requested = [happen(), take(0, 1), again(0), jump(-10 * minute)]
  await play(panel, [...requested, crash(), take(0, 1), end(0, true)])
  await play(panel, [...requested, end(0, false), take(0, 1), end(0, false), jump(2 * minute), take(0, 1)])
  const late = [happen(), take(0, 1), end(0, false), again(0), take(0, 1)]
  await play(panel, [...late, jump(-hour), end(0, false), jump(2 * minute), take(0, 1), end(0, true)])
  await play(panel, [...late, crash(hour), take(0, 1), end(0, false), jump(2 * minute), take(0, 1), end(0, true)])
  await play(panel, [happen(), crash(hour), take(0, 1), again(0), crash(hour), take(0, 1), end(0, true)])
})

test('a run that fails leaves nothing behind for the next', async () => {
  const panel = await quietPanel()
  const error = command(
    'fault',
    () => true,
    () => Promise.reject(new Error('a fault')),
  )
  for (let run = 0; run < 11; run++) await expect(play(panel, [happen(), error])).rejects.toThrow('a fault')
  expect((await panel.get('/webhooks')).body.items).toEqual([])
})
