import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endPortHolders } from '../../src/host/debian/connection-ports.ts'
import { tempDir } from '../host/helpers.ts'

/** `count` connections of a uid whose local ports are `from`, `from + step` and so on. */
const lines = (uid: number, count: number, from: number, step = 1): string[] =>
  Array.from({ length: count }, (_, index) => {
    const port = (from + index * step).toString(16).toUpperCase().padStart(4, '0')
    return ` ${String(index).padStart(4)}: 0100007F:${port} 0100007F:1F90 08 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${index} 1 0000000000000000 20 4 30 10 -1`
  })

function machine(connections: number, tcp: readonly string[], tcp6: readonly string[] = []): string {
  const proc = tempDir()
  mkdirSync(`${proc}/net`)
  writeFileSync(`${proc}/net/sockstat`, `sockets: used 9\nTCP: inuse ${connections} orphan 0 tw 0 alloc 9 mem 0\n`)
  writeFileSync(`${proc}/net/sockstat6`, 'TCP6: inuse 1\n')
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
  writeFileSync(`${proc}/net/tcp`, `${head}${tcp.join('\n')}\n`)
  writeFileSync(`${proc}/net/tcp6`, `${head}${tcp6.join('\n')}\n`)
  return proc
}

async function endedOn(proc: string): Promise<number[]> {
  const ended: number[] = []
  await endPortHolders(proc, async (uid) => void ended.push(uid))
  return ended
}

test('ends the programs of an account whose connections have thousands of ports', async () => {
  const tcp6 = lines(20_007, 1500, 40_000).map((line) =>
    line.replaceAll('0100007F', '0000000000000000FFFF00000100007F'),
  )
  expect(await endedOn(machine(9000, lines(20_007, 1501, 33_000), tcp6))).toEqual([20_007])
})

test.each([
  ['many connections on one port', lines(20_007, 9000, 40_000, 0)],
  ['ports that start no connections', lines(20_007, 9000, 20_000)],
  ['those of a service', lines(33, 9000, 40_000)],
  ['no more than its share', lines(20_007, 3000, 40_000)],
])('leaves %s', async (_, tcp) => {
  expect(await endedOn(machine(tcp.length, tcp))).toEqual([])
})

test('looks at no list while the machine has few connections', async () => {
  expect(await endedOn(machine(2999, lines(20_007, 3001, 40_000)))).toEqual([])
})
