import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Duplex, Readable } from 'node:stream'
import type { AccountName } from '../../account.ts'
import { BuildLog } from '../../apps/build-log.ts'
import { ask } from '../../apps/health.ts'
import { makeRelease } from '../../apps/make.ts'
import { onReleases } from '../../apps/releases.ts'
import { secretsOf } from '../../apps/secrets.ts'
import type { Sink, Source } from '../../driver.ts'
import { LocalHomes } from '../../homes/local.ts'
import { fill } from '../home-worker.ts'
import { chunksFrom, sendChunks } from './chunks.ts'
import type { FromWorker, ToWorker, WorkerVerb, WorkerVerbs } from './verbs.ts'

export interface Asked {
  readonly verb: WorkerVerb
  readonly username: string
  readonly told: object
  readonly root: string
  readonly bytes: Duplex
  readonly signal: AbortSignal
  say(message: FromWorker): void
  /** The agent's next message; undefined once it is gone. */
  next(): Promise<ToWorker | undefined>
}

type Act<Verb extends WorkerVerb> = (
  told: WorkerVerbs[Verb]['told'],
  asked: Asked,
  homes: LocalHomes,
) => Promise<WorkerVerbs[Verb]['result']>

/** A worker has one home: only the agent needs to know the account. */
const whose = ({ username }: Asked): AccountName => ({ id: '', username, uid: process.getuid!(), mainDomain: '' })

const acts: { readonly [Verb in WorkerVerb]: Act<Verb> } = {
  act: ({ verb, told }, asked, homes) => homes.files(whose(asked)).act(verb, told as never, { signal: asked.signal }),
  read: async (told, asked, homes) => sent(await homes.files(whose(asked)).read(told), asked),
  write: async (told, asked, homes) => received(await homes.files(whose(asked)).write(told), asked),
  append: async (told, asked, homes) => received(await homes.files(whose(asked)).append(told), asked),
  measure: (_, asked, homes) => homes.measure(whose(asked), asked.signal),
  reclaim: (_, asked, homes) => homes.reclaim(whose(asked), asked.signal),
  pack: async ({ part }, asked, homes) => {
    const packing = await homes.saved(whose(asked)).pack(part, asked.signal)
    asked.say({ type: 'opened', answer: packing ? {} : null })
    if (!packing || (await asked.next())?.type !== 'go') return null
    await sendChunks(asked.bytes, packing.bytes, asked.signal)
    return packing.told()
  },
  stage: (told, asked, homes) => homes.saved(whose(asked)).stage(told, chunksFrom(asked.bytes), asked.signal),
  swap: ({ name, swap }, asked, homes) => homes.saved(whose(asked)).swap(name, swap).then(nothing),
  clear: ({ name }, asked, homes) => homes.saved(whose(asked)).clear(name).then(nothing),
  fill: async (told) => {
    fill(told)
    return null
  },
  releases: ({ app, act }, { root, username }) => onReleases(root, { username, app }, act).then(nothing),
  ask: (question, { signal }) => ask(question, signal),
  make: (order, { root, say, signal }) =>
    makeRelease({
      host: { root, trusted: true, faults: () => {} },
      order,
      path: process.env['PATH'],
      aside: join(tmpdir(), `panel-git-${process.pid}`),
      log: new BuildLog(secretsOf(order), (text) => say({ type: 'line', text })),
      signal,
    }),
}

const nothing = (): null => null

export const carryOut = (asked: Asked): Promise<unknown> => {
  const homes = new LocalHomes({ root: asked.root, nameOf: () => asked.username })
  return (acts[asked.verb] as Act<WorkerVerb>)(asked.told as never, asked, homes)
}

async function sent(source: Source, { say, next, bytes, signal }: Asked): Promise<null> {
  say({ type: 'opened', answer: source.answer })
  if ((await next())?.type === 'go') await sendChunks(bytes, source.stream(), signal)
  else await source.close()
  return null
}

async function received<Done>(sink: Sink<Done>, { say, next, bytes }: Asked): Promise<Done | null> {
  say({ type: 'opened', answer: {} })
  for (let told = await next(); told?.type !== 'drop'; told = await next()) {
    if (told?.type === 'commit') return sink.commit()
    if (told?.type !== 'take') break
    try {
      say({ type: 'received', size: await sink.receive(Readable.from(chunksFrom(bytes), { objectMode: false })) })
    } catch (error) {
      await sink.discard()
      throw error
    }
  }
  await sink.discard()
  return null
}
