import { resolve } from 'node:path'
import { systemDirectory } from '../../shared/directory.ts'
import { exit } from '../../shared/exit.ts'
import { ulid } from '../../shared/patterns.ts'
import { CliError, denied, inputNeeded, usage } from '../errors.ts'
import { readStandardInput } from '../input/standard-input.ts'
import { type Invocation, textOption } from '../invocation.ts'
import { canAsk, data, note } from '../terminal.ts'

const machine = '/'

/** Makes this machine a node of a panel on another one. */
export async function run(invocation: Invocation): Promise<void> {
  const [address] = invocation.positionals
  const [node, pin, root = machine] = ['node', 'pin', 'root'].map((name) => textOption(invocation, name))
  if (!address || !node || !pin)
    throw usage('the line that `panel nodes create` prints has an address, --node and --pin')
  if (!new RegExp(`^${ulid}$`).test(node)) throw usage('--node must be the id that `panel nodes create` prints')
  if (!/^[0-9a-fA-F]{64}$/.test(pin)) throw usage('--pin must be 64 hexadecimal digits')
  const { join, placeOf, startNode, Unreached } = await import('../../host/nodes/node/join.ts')
  if (!placeOf(address)) throw usage(`the address must be host:port, such as panel.example.com:7712, not ${address}`)
  if (root === machine && process.getuid?.() !== 0)
    throw denied('Only root can make this machine a node.', 'run the line as root')
  await refuseOccupied({ node, root, yes: invocation.option('yes') === true })
  const secret = await secretOf()
  const joined = await join({ address, node, pin, secret, root }).catch((error: Error) => {
    const code = error instanceof Unreached ? exit.network : exit.error
    throw new CliError(code, { type: 'panel:problems/join', title: error.message })
  })
  if (root !== machine) note(`next: panel host agent --node --root ${root}`)
  else if (!(await startNode())) note('next: panel host agent --node')
  data(`${joined.name}\n`)
}

interface Joining {
  readonly node: string
  readonly root: string
  readonly yes: boolean
}

/** A machine belongs to one panel: joining removes it from the current one. */
async function refuseOccupied({ node, root, yes }: Joining): Promise<void> {
  const [{ residentOf }, { identityOf }] = await Promise.all([
    import('../../server/upkeep.ts'),
    import('../../host/nodes/node/join.ts'),
  ])
  const panel = residentOf(resolve(root, `.${systemDirectory}`), node)
  if (panel?.hasNode)
    throw occupied('This is the machine of the panel itself, its node `local`', 'run the line on the new machine')
  if (yes) return
  const known = identityOf(root)
  if (known && known.id !== node)
    throw occupied(`This machine is the node ${known.name} already, with the id ${known.id}`, instead)
  if (panel && panel.accounts > 0)
    throw occupied(`A panel with ${accountsText(panel.accounts)} is on this machine, and joining stops it`, instead)
}

const instead = 'to make it the new node all the same: run the line again, with --yes at its end'

const accountsText = (count: number): string => `${count} ${count === 1 ? 'account' : 'accounts'}`

const occupied = (title: string, hint: string): CliError =>
  new CliError(exit.error, { type: 'panel:problems/join', title, hint })

/** Read from standard input, since other users can see a process's arguments. */
async function secretOf(): Promise<string> {
  if (canAsk()) {
    const { askHidden } = await import('../input/ask.ts')
    return askHidden('Secret of the join line:')
  }
  const secret = readStandardInput().trim()
  if (secret === '') throw inputNeeded('The secret of the join line is needed on standard input')
  return secret
}
