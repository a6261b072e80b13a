import type { Json, World } from './world.ts'

/** Creates accounts with bounded concurrency; returns the responses. */
export async function createAccounts(world: World, bodies: readonly object[], atOnce: number): Promise<Json[]> {
  const answers: Json[] = []
  let next = 0
  const hand = async (): Promise<void> => {
    for (let n = next++; n < bodies.length; n = next++) answers.push(await create(world, bodies[n]!))
  }
  await Promise.all(Array.from({ length: atOnce }, hand))
  return answers
}

/** Beyond a burst, changes are rate-limited. */
async function create(world: World, body: object): Promise<Json> {
  for (;;) {
    const answer = await world.ask('POST', '/accounts', body)
    if (answer.status === 202) return answer.body
    if (answer.status !== 429) throw new Error(JSON.stringify(answer.body))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export const account = (username: string, node?: string): object => ({
  username,
  domain: `${username}.example`,
  ...(node && { node }),
})

/** Milliseconds from the first request until the last account is on its host. */
export async function makeAccounts(world: World, bodies: readonly object[], atOnce: number): Promise<number> {
  const began = performance.now()
  const made = await createAccounts(world, bodies, atOnce)
  for (const { job_id } of made) await ended(world, job_id)
  return performance.now() - began
}

async function ended(world: World, id: string): Promise<void> {
  for (;;) {
    const { job } = await world.sure('GET', `/jobs/${id}`)
    if (job.status === 'succeeded') return
    if (job.status === 'failed') throw new Error(job.error)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
