import { and, asc, eq, lt } from 'drizzle-orm'
import type { Condition } from '../../host/contract/driver.ts'
import { REPLY_TIMEOUT_MS, within } from '../../host/nodes/fleet/deadline.ts'
import type { LinkedHost, Links } from '../../host/nodes/fleet/fleet.ts'
import { every } from '../../runtime/clock/interval.ts'
import { ReplicaWatch } from '../../runtime/metrics/replica.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { localNode } from '../../shared/node-name.ts'
import { day, hour, minute } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { nodeByName } from '../nodes/store.ts'
import type { NodeRow } from '../nodes/tables.ts'
import { readOnlyWrites } from './read-only.ts'
import { type Finding, type Looked, rules } from './rules.ts'
import { diskSamples, type MachineIssue, machineIssues } from './tables.ts'

const SAMPLE_RETENTION_MS = 7 * day
/** A machine can name others each time that it is asked. */
const MAX_SAMPLES_PER_HOUR = 100

/** Looks at all machines once a minute. What is known of one that does not answer stays. */
export function watchMachines(runtime: Runtime, fleet: Links): { stop(): Promise<void> } {
  const replica = new ReplicaWatch(runtime.store, runtime.clock)
  const look = async (signal: AbortSignal): Promise<void> => {
    await replica
      .look()
      .catch((error: unknown) => runtime.log.debug({ err: error }, 'the replica could not be looked at'))
    await Promise.all(fleet.linked.map((host) => lookAt(runtime, host, { replica, signal })))
  }
  return { stop: every(runtime, minute, 'the machines could not be looked at', look) }
}

interface Look {
  readonly replica: ReplicaWatch
  readonly signal: AbortSignal
}

async function lookAt(runtime: Runtime, [node, host]: LinkedHost, { replica, signal }: Look): Promise<void> {
  const { clock, log, store } = runtime
  const [sentAt, after] = [clock.now(), (ms: number, act: () => void) => clock.after(ms, act)]
  try {
    const condition = await within({ node, ms: REPLY_TIMEOUT_MS, after, signal }, (ending) =>
      host.condition({}, { signal: ending }),
    )
    const row = nodeByName(store.db, node)
    const replicaAgeSeconds = node === localNode ? replica.ageSeconds : undefined
    if (condition && row) await keep(runtime, row, { condition, sentAt, replicaAgeSeconds })
  } catch (error) {
    if (!signal.aborted) log.debug({ err: error, node }, 'a machine could not be looked at')
  }
}

interface Answer {
  readonly condition: Condition
  readonly sentAt: number
  readonly replicaAgeSeconds: number | undefined
}

async function keep(
  { store, clock }: Runtime,
  { id: node, name }: NodeRow,
  { condition, sentAt, replicaAgeSeconds }: Answer,
): Promise<void> {
  const now = clock.now()
  const samples = samplesOf(store.db, node)
  const clockOffsetMs = offsetOf(condition.now, sentAt, now)
  const looked: Looked = { condition, now, samples, clockOffsetMs, replicaAgeSeconds }
  const closed = condition.readOnlyDatabases
  const writes = [
    ...issueWrites(store.db, node, looked),
    ...sampleWrites(node, looked),
    ...(closed ? readOnlyWrites(store.db, name, closed, now) : []),
  ]
  if (writes.length === 0) return
  await store.change(() => {
    for (const write of writes) write(store.db)
  })
}

/** Its clock was read between the question and the answer. */
const offsetOf = (at: number, sentAt: number, answered: number): number => Math.max(0, sentAt - at, at - answered)

type Write = (db: Db) => unknown

function issueWrites(db: Db, node: string, looked: Looked): Write[] {
  const known = db.select().from(machineIssues).where(eq(machineIssues.node_id, node)).all()
  return rules.flatMap((rule) => {
    const former = known.find(({ kind }) => kind === rule.kind)
    const found = rule.find(looked)
    if (!found) return former ? [remove(former)] : []
    const next = issueOf({ node_id: node, kind: rule.kind, ...found }, former, {
      now: looked.now,
      lastsMs: rule.lastsMs,
    })
    return former && isSame(former, next) ? [] : [write(next)]
  })
}

/** One that became worse is another cause. */
function issueOf(
  found: Finding & Pick<MachineIssue, 'node_id' | 'kind'>,
  former: MachineIssue | undefined,
  { now, lastsMs }: { readonly now: number; readonly lastsMs: number },
): MachineIssue {
  const begun_at = former?.begun_at ?? now
  const isWorse = former?.severity === 'warn' && found.severity === 'error'
  const since = former?.since != null && !isWorse ? former.since : now - begun_at >= lastsMs ? now : null
  return { ...found, begun_at, since }
}

const isSame = (one: MachineIssue, other: MachineIssue): boolean =>
  one.since === other.since && one.severity === other.severity && one.detail === other.detail

const write =
  (issue: MachineIssue): Write =>
  (db) =>
    db
      .insert(machineIssues)
      .values(issue)
      .onConflictDoUpdate({ target: [machineIssues.node_id, machineIssues.kind], set: issue })
      .run()

const remove =
  ({ node_id, kind }: MachineIssue): Write =>
  (db) =>
    db
      .delete(machineIssues)
      .where(and(eq(machineIssues.node_id, node_id), eq(machineIssues.kind, kind)))
      .run()

const samplesOf = (db: Db, node: string) =>
  db.select().from(diskSamples).where(eq(diskSamples.node_id, node)).orderBy(asc(diskSamples.at)).all()

/** Once an hour; the oldest go. */
function sampleWrites(node: string, { condition, now, samples }: Looked): Write[] {
  const at = now - (now % hour)
  const known = new Set(samples.flatMap((one) => (one.at === at ? one.path : [])))
  const fresh = condition.fileSystems
    .filter(({ path }) => !known.has(path))
    .slice(0, Math.max(0, MAX_SAMPLES_PER_HOUR - known.size))
  if (fresh.length === 0) return []
  const rows = fresh.map(({ path, usedMb, usedInodes }) => ({
    ...{ node_id: node, path, at },
    ...{ used_mb: usedMb, used_inodes: usedInodes },
  }))
  return [
    (db) => db.insert(diskSamples).values(rows).onConflictDoNothing().run(),
    (db) =>
      db
        .delete(diskSamples)
        .where(lt(diskSamples.at, now - SAMPLE_RETENTION_MS))
        .run(),
  ]
}
