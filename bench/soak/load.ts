import type { Json, Server } from './server.ts'

/** What the server acknowledged, to be held against what it kept. */
export class Acknowledged {
  readonly created = new Map<string, string>()
  readonly terminated = new Set<string>()
  requests = 0
  refused = 0
  lost = 0
}

const max = 300
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** One caller who does what billing systems and people do, in turn, until told to stop. */
export async function caller(
  server: Server,
  seen: Acknowledged,
  number: number,
  stopped: () => boolean,
): Promise<void> {
  for (let step = 0; !stopped(); step++) {
    try {
      await act(server, seen, `c${number}x${step.toString(36)}`, step)
    } catch {
      // The server was killed: the next step meets the one that takes its place.
      seen.lost++
      await pause(100)
    }
    await pause(5)
  }
}

async function act(server: Server, seen: Acknowledged, name: string, step: number): Promise<void> {
  const own = pick([...seen.created.keys()].filter((id) => !seen.terminated.has(id)))
  const deed = step % 10
  if (deed === 0 && seen.created.size - seen.terminated.size < max) return create(server, seen, name)
  if (!own) return
  if (deed === 1) return change(server, seen, 'POST', `/accounts/${own}/suspend`, { reason: 'soak' })
  if (deed === 2) return change(server, seen, 'POST', `/accounts/${own}/unsuspend`)
  if (deed === 3) return change(server, seen, 'PATCH', `/accounts/${own}`, { contact_email: `${name}@soak.example` })
  if (deed === 4) return change(server, seen, 'POST', `/accounts/${own}/sso`, {})
  if (deed === 5 && step % 30 === 5) return terminate(server, seen, own)
  const reads = [
    '/accounts?per_page=50',
    `/accounts/${own}`,
    `/accounts/${own}/usage`,
    '/jobs?per_page=20',
    '/events?limit=100',
  ]
  await change(server, seen, 'GET', reads[step % reads.length]!)
}

const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)]

async function change(server: Server, seen: Acknowledged, method: string, path: string, body?: unknown): Promise<void> {
  await follow(server, await send(server, seen, method, path, body))
}

async function send(server: Server, seen: Acknowledged, method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await server.send(method, `/api/v1${path}`, body)
  seen.requests++
  if (answer.status >= 500) throw new Error(`${method} ${path} answered ${answer.status}`)
  if (answer.status >= 400) seen.refused++
  return answer
}

/** Waits for the job of an answer, as every client does: what is under way stays bounded. */
async function follow(server: Server, answer: Json): Promise<void> {
  const id = answer.status === 202 ? answer.body.job_id : undefined
  for (let tries = 0; id && tries < 200; tries++) {
    const { body } = await server.send('GET', `/api/v1/jobs/${id}`)
    if (!['queued', 'leased', 'running'].includes(body.job.status)) return
    await pause(20)
  }
}

async function create(server: Server, seen: Acknowledged, username: string): Promise<void> {
  const answer = await send(server, seen, 'POST', '/accounts', { username, domain: `${username}.soak.example` })
  if (answer.status === 202) seen.created.set(answer.body.account.id, username)
  await follow(server, answer)
}

async function terminate(server: Server, seen: Acknowledged, id: string): Promise<void> {
  const answer = await send(server, seen, 'DELETE', `/accounts/${id}?confirm=${seen.created.get(id)}`)
  if (answer.status === 202) seen.terminated.add(id)
  await follow(server, answer)
}
