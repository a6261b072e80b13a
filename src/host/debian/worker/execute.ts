import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Duplex, Readable } from 'node:stream'
import { BuildLog } from '../../apps/build-log.ts'
import { ask } from '../../apps/health.ts'
import { makeRelease } from '../../apps/make.ts'
import { onReleases } from '../../apps/releases.ts'
import { secretsOf } from '../../apps/secrets.ts'
import type { AccountName } from '../../contract/account.ts'
import type { Sink, Source } from '../../contract/driver.ts'
import { LocalHomes } from '../../homes/local.ts'
import { fill } from '../home-worker.ts'
import { chunksFrom, sendChunks } from './chunks.ts'
import type { FromWorker, ToWorker, WorkerVerb, WorkerVerbs } from './verbs.ts'

export interface WorkerRequest {
  readonly verb: WorkerVerb
  readonly username: string
  readonly input: object
  readonly root: string
  readonly bytes: Duplex
  readonly signal: AbortSignal
  say(message: FromWorker): void
  /** The agent's next message; undefined once it is gone. */
  next(): Promise<ToWorker | undefined>
}

type Act<Verb extends WorkerVerb> = (
  input: WorkerVerbs[Verb]['input'],
  request: WorkerRequest,
  homes: LocalHomes,
) => Promise<WorkerVerbs[Verb]['result']>

/** A worker has one home: only the agent needs to know the account. */
const owner = ({ username }: WorkerRequest): AccountName => ({
  id: '',
  username,
  uid: process.getuid!(),
  mainDomain: '',
})

const acts: { readonly [Verb in WorkerVerb]: Act<Verb> } = {
  act: ({ verb, input }, request, homes) =>
    homes.files(owner(request)).act(verb, input as never, { signal: request.signal }),
  read: async (input, request, homes) => sent(await homes.files(owner(request)).read(input), request),
  write: async (input, request, homes) => received(await homes.files(owner(request)).write(input), request),
  append: async (input, request, homes) => received(await homes.files(owner(request)).append(input), request),
  measure: (_, request, homes) => homes.measure(owner(request), request.signal),
  reclaim: (_, request, homes) => homes.reclaim(owner(request), request.signal),
  pack: async ({ part }, request, homes) => {
    const packing = await homes.saved(owner(request)).pack(part, request.signal)
    request.say({ type: 'opened', answer: packing ? {} : null })
    if (!packing || (await request.next())?.type !== 'go') return null
    await sendChunks(request.bytes, packing.bytes, request.signal)
    return packing.result()
  },
  dump: async (input, request, homes) => {
    const { bytes, report } = await homes.saved(owner(request)).dump(input, request.signal)
    request.say({ type: 'opened', answer: {} })
    if ((await request.next())?.type === 'go') await sendChunks(request.bytes, bytes, request.signal)
    return report()
  },
  replaced: (input, request, homes) => homes.saved(owner(request)).replaced(input, request.signal),
  stage: (input, request, homes) => homes.saved(owner(request)).stage(input, chunksFrom(request.bytes), request.signal),
  swap: ({ name, swap }, request, homes) => homes.saved(owner(request)).swap(name, swap).then(nothing),
  clear: ({ name }, request, homes) => homes.saved(owner(request)).clear(name).then(nothing),
  fill: async (input) => {
    fill(input)
    return null
  },
  releases: ({ app, act }, { root, username }) => onReleases(root, { username, app }, act).then(nothing),
  ask: (question, { signal }) => ask(question, signal),
  make: (order, { root, say, signal }) =>
    makeRelease({
      host: { root, trusted: true, onFailPoint: () => {} },
      order,
      path: process.env['PATH'],
      separate: join(tmpdir(), `panel-git-${process.pid}`),
      log: new BuildLog(secretsOf(order), (text) => say({ type: 'line', text })),
      signal,
    }),
}

const nothing = (): null => null

export const carryOut = (request: WorkerRequest): Promise<unknown> => {
  const homes = new LocalHomes({ root: request.root, nameOf: () => request.username })
  return (acts[request.verb] as Act<WorkerVerb>)(request.input as never, request, homes)
}

async function sent(source: Source, { say, next, bytes, signal }: WorkerRequest): Promise<null> {
  say({ type: 'opened', answer: source.answer })
  if ((await next())?.type === 'go') await sendChunks(bytes, source.stream(), signal)
  else await source.close()
  return null
}

async function received<Done>(sink: Sink<Done>, { say, next, bytes }: WorkerRequest): Promise<Done | null> {
  say({ type: 'opened', answer: {} })
  for (let frame = await next(); frame?.type !== 'drop'; frame = await next()) {
    if (frame?.type === 'commit') return sink.commit()
    if (frame?.type !== 'take') break
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
