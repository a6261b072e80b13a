import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Port } from './step.ts'

/** A port in use, and its process, if known. */
interface UsedPort {
  readonly address: string
  readonly port: number
  readonly protocol: Port['protocol']
  readonly inode: string
}

/** Why a port is unavailable, in one sentence; undefined if all are free or held by their own programs. */
export function foreignPort(request: readonly Port[], proc = '/proc'): string | undefined {
  const used = (['tcp', 'udp'] as const).flatMap((protocol) => usedPorts(proc, protocol))
  for (const { port, protocol, of } of request) {
    const taken = used.filter((one) => one.port === port && one.protocol === protocol && !isSeparate(one.address))
    for (const one of taken) {
      const holders = holdersOf(proc, one.inode)
      if (holders.some(({ name, program }) => of.includes(name) || of.includes(program))) continue
      const [holder] = holders
      if (!holder && !isUsed(proc, one)) continue
      const who = holder ? `${holder.name} (process ${holder.pid})` : 'another program'
      return `Port ${port}/${protocol} is in use by ${who}: stop it and remove its package, then run this again.`
    }
  }
  return undefined
}

/** Other loopback addresses do not matter: resolvers listen there. */
const isSeparate = (address: string): boolean => /^127\./.test(address) && address !== '127.0.0.1'

function usedPorts(proc: string, protocol: Port['protocol']): UsedPort[] {
  return [protocol, `${protocol}6`].flatMap((name) =>
    tableOf(`${proc}/net/${name}`)
      .filter((fields) => fields[3] === (protocol === 'tcp' ? '0A' : '07'))
      .map((fields) => {
        const [address = '', port = ''] = (fields[1] ?? '').split(':')
        return { address: readable(address), port: Number.parseInt(port, 16), protocol, inode: fields[9] ?? '' }
      }),
  )
}

/** The holder of a port may exit during the search. */
const isUsed = (proc: string, { inode, protocol }: UsedPort): boolean =>
  usedPorts(proc, protocol).some((one) => one.inode === inode)

function tableOf(file: string): string[][] {
  const lines = ifThere(() => readFileSync(file, 'utf8').trim().split('\n').slice(1)) ?? []
  return lines.map((line) => line.trim().split(/\s+/))
}

/** Four bytes are an IPv4 address, in reverse order. */
const readable = (hex: string): string =>
  hex.length === 8
    ? (hex.match(/../g) ?? [])
        .reverse()
        .map((byte) => Number.parseInt(byte, 16))
        .join('.')
    : hex

/** The kernel's suffix for a program that an upgrade has replaced. */
const replaced = / \(deleted\)$/

/** Programs share a port with their children: Postfix's master with each smtpd. */
const holdersOf = (proc: string, inode: string): { pid: string; name: string; program: string }[] =>
  readdirSync(proc)
    .filter((name) => /^\d+$/.test(name) && holds(`${proc}/${name}/fd`, `socket:[${inode}]`))
    .flatMap((pid) => {
      const name = ifThere(() => readFileSync(`${proc}/${pid}/comm`, 'utf8').trim())
      const program = ifThere(() => readlinkSync(`${proc}/${pid}/exe`).replace(replaced, '')) ?? ''
      return name === undefined ? [] : { pid, name, program }
    })

const holds = (folder: string, link: string): boolean =>
  (ifThere(() => readdirSync(folder)) ?? []).some((fd) => ifThere(() => readlinkSync(`${folder}/${fd}`)) === link)

/** Processes may exit and close files during the search. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
