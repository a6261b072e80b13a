import { account, makeAccounts } from '../accounts.ts'
import { say } from '../figures.ts'
import { World } from '../world.ts'

const nodes = 10
const creates = 1000
const atOnce = 50

/** Where accounts go that are created at the same moment. */
export async function measure(): Promise<void> {
  const world = new World()
  try {
    await world.open(nodes)
    const { id } = (await world.all('/nodes')).find(({ name }) => name === 'n10')!
    await world.sure('POST', `/nodes/${id}/drain`, {})
    const bodies = Array.from({ length: creates }, (_, n) => account(`p${n}`))
    say(
      `${creates} creates, ${atOnce} at once, until all are on their hosts`,
      (await makeAccounts(world, bodies, atOnce)) / 1000,
      's',
    )
    const accounts = await world.all('/accounts')
    const counts = new Map((await world.all('/nodes')).map(({ name }) => [name as string, 0]))
    for (const { node = 'local' } of accounts) counts.set(node, counts.get(node)! + 1)
    say('accounts on the one that is draining', counts.get('n10')!, 'accounts', { max: 0 })
    const taking = [...counts].filter(([name]) => name !== 'n10').map(([, count]) => count)
    say(
      'difference between the fullest and the emptiest other',
      Math.max(...taking) - Math.min(...taking),
      'accounts',
      { max: 1 },
    )
  } finally {
    await world.close()
  }
}
