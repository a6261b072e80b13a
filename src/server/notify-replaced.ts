import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { every } from '../runtime/clock/interval.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Leadership, LeadershipClaim } from '../runtime/settings/leadership.ts'
import { getSetting, setSetting } from '../runtime/settings/settings.ts'

const RETRY_PAUSE_MS = 5_000
const REPLY_TIMEOUT_MS = 3_000
const path = '/superseded'

/** Tells the replaced server, once it is reachable again, that it is no longer in charge. */
export function notifyReplacedServer(runtime: Runtime, origin: string): () => Promise<void> {
  const { store, leadership, log } = runtime
  const old = getSetting(store.db, 'predecessor')
  if (!old || old === origin) return async () => {}
  let isNotified = false
  return every(runtime, RETRY_PAUSE_MS, 'the old server could not be told', async () => {
    if (isNotified || !leadership.claim || !(await notify(old, leadership.claim))) return
    isNotified = true
    log.warn({ origin: old }, 'the old server was back, and was told that this one took over from it')
    await store.change(() => setSetting(store.db, 'predecessor', null))
  })
}

const fields = ['server', 'epoch', 'life', 'proof']

/** How the old server reacts to being told. */
export function superseded(leadership: Leadership, query: URLSearchParams): boolean {
  const [server = '', epoch, life, proof = ''] = fields.map((name) => query.get(name) ?? undefined)
  leadership.hear({ server, epoch: Number(epoch), ...(life !== undefined && { life }), proof })
  return leadership.lost !== undefined
}

/** The proof is not secret: it only states a fact. So it does not matter who receives it. */
function notify(origin: string, { epoch, ...isNotified }: LeadershipClaim): Promise<boolean> {
  const send = origin.startsWith('https:') ? secure : plain
  const query = new URLSearchParams({ ...isNotified, epoch: String(epoch) })
  const options = { method: 'POST', rejectUnauthorized: false, timeout: REPLY_TIMEOUT_MS, agent: false as const }
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
