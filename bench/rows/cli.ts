import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { inTurn } from '../compare.ts'
import { rounded } from '../figures.ts'
import { bin } from '../panel.ts'
import type { Row } from '../row.ts'

const execute = promisify(execFile)
const times = 20

const commands: Readonly<Record<string, readonly string[]>> = {
  'panel --version': [bin, '--version'],
  'panel accounts list': [bin, 'accounts', 'list'],
}

/** The processor's time for a command against a server that answers at once, beside `node -e 0`. */
export async function measure(): Promise<Row[]> {
  const stub = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"items":[],"total":0}')
  })
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`
  const request = `require('node:http').get('${url}', (answer) => answer.pipe(process.stdout))`
  const takes = { 'node -e 0': ['-e', '0'], 'node, one request': ['-e', request], ...commands }
  const taken = await inTurn(
    Object.fromEntries(Object.entries(takes).map(([name, words]) => [name, () => processorTime(words, url)])),
    times,
  )
  stub.close()
  // The kernel counts in ticks, so that single figures are coarse.
  const sum = (name: string) => taken[name]!.reduce((all, one) => all + one, 0)
  return Object.keys(commands).map((what) => ({
    what,
    value: rounded(sum(what) / times),
    unit: 'ms of CPU',
    ratios: Object.fromEntries(['node -e 0', 'node, one request'].map((one) => [one, rounded(sum(what) / sum(one))])),
  }))
}

/** Nothing else that Node reads at its start: certificates to trust besides its own take longer than all the rest. */
const { PATH = '', HOME = '' } = process.env

async function processorTime(words: readonly string[], url: string): Promise<number> {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1'
  const env = { PATH, HOME, PANEL_URL: url, PANEL_TOKEN: 'pnl_x', LC_ALL: 'C' }
  const { stderr } = await execute('bash', ['-c', script, 'bash', process.execPath, ...words], { env })
  return (
    stderr
      .trim()
      .split(' ')
      .map(Number)
      .reduce((all, one) => all + one, 0) * 1000
  )
}
