import { until, type World } from '../world.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** After a while the server's machine is lost for good, as it seems: another takes over, and some time later the old one is back. */
export async function succeed(world: World, after: number): Promise<void> {
  await pause(after)
  const began = Date.now()
  await world.takeOver()
  const took = Date.now() - began + (await until(async () => (await world.ask('GET', '/nodes')).status === 200))
  console.log(`taken over in ${(took / 1000).toFixed(1)} s`)
  await pause(3000)
  world.former!.member.comeBack()
}

/** What the old server still does, once the new one has told it. */
export async function formerProblems(world: World): Promise<string[]> {
  if (!world.former) return []
  const { data } = world.former
  const body = { username: 'late', domain: 'late.example' }
  const answer = () => world.ask('POST', '/accounts', body, data)
  const isReported = async (): Promise<boolean> => (await answer()).body?.type?.endsWith('/superseded')
  try {
    await until(isReported, 60_000)
    return []
  } catch {
    return [`the old server still answers: ${JSON.stringify(await answer().catch(String))}`]
  }
}
