import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { Reign, Told } from '../runtime/reign.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { getSetting, setSetting } from '../runtime/settings.ts'
import { every } from '../runtime/tick.ts'

const pause = 5_000
const patience = 3_000
const path = '/superseded'

/** Tells the replaced server, once it is reachable again, that it is no longer in charge. */
export function tellPredecessor(runtime: Runtime, origin: string): () => Promise<void> {
  const { store, reign, log } = runtime
  const old = getSetting(store.db, 'predecessor')
  if (!old || old === origin) return async () => {}
  let told = false
  return every(runtime, pause, 'the old server could not be told', async () => {
    if (told || !reign.told || !(await tell(old, reign.told))) return
    told = true
    log.warn({ origin: old }, 'the old server was back, and was told that this one took over from it')
    await store.change(() => setSetting(store.db, 'predecessor', null))
  })
}

const fields = ['server', 'epoch', 'life', 'proof']

/** How the old server reacts to being told. */
export function superseded(reign: Reign, query: URLSearchParams): boolean {
  const [server = '', epoch, life, proof = ''] = fields.map((name) => query.get(name) ?? undefined)
  reign.hear({ server, epoch: Number(epoch), ...(life !== undefined && { life }), proof })
  return reign.lost !== undefined
}

/** The proof is not secret: it only states a fact. So it does not matter who receives it. */
function tell(origin: string, { epoch, ...told }: Told): Promise<boolean> {
  const send = origin.startsWith('https:') ? secure : plain
  const query = new URLSearchParams({ ...told, epoch: String(epoch) })
  const options = { method: 'POST', rejectUnauthorized: false, timeout: patience, agent: false as const }
  return new Promise((resolve) => {
    const call = send(`${origin}${path}?${query}`, options, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 204)
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(false))
    call.end()
  })
}
