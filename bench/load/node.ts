import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { percentile } from '../figures.ts'
import type { Load, Shot } from './load.ts'

type Full = Shot & { connections: number; seconds: number }

/**
 * The least a client can do: one request at a time on each connection. The first of each is left out of the percentiles:
 * it waits for the connection, and for code that has not run yet.
 */
export async function sendLoad(shot: Full): Promise<Load> {
  const times: number[] = []
  const next = requests(shot)
  const end = performance.now() + shot.seconds * 1000
  const isOver = () => performance.now() > end || times.length + 1 >= (shot.max ?? Number.POSITIVE_INFINITY)
  const failures = await Promise.all(
    Array.from({ length: shot.connections }, () => ask(open(new URL(shot.url)), next, isOver, times)),
  )
  return {
    perSecond: (times.length + shot.connections) / shot.seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    failed: failures.reduce((sum, failed) => sum + failed, 0),
  }
}

function open(url: URL): Socket {
  const where = { host: url.hostname, port: Number(url.port) }
  return url.protocol === 'https:' ? connectTls({ ...where, rejectUnauthorized: false }) : connect(where)
}

/** Answers how many answers were no success. */
function ask(socket: Socket, next: () => string, isOver: () => boolean, times: number[]): Promise<number> {
  let failed = 0
  let began = 0
  let warm = false
  const send = (): void => {
    began = performance.now()
    if (isOver()) socket.end()
    else socket.write(next())
  }
  return new Promise((resolve, reject) => {
    answers(socket, (status) => {
      if (warm) times.push(performance.now() - began)
      warm = true
      if (status >= 400) failed++
      send()
    })
    socket.once('close', () => resolve(failed)).once('error', reject)
    send()
  })
}

/** Calls back with the status of every answer that came whole. */
function answers(socket: Socket, full: (status: number) => void): void {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
    const head = text.indexOf('\r\n\r\n')
    if (head < 0) return
    const [, length] = /content-length: (\d+)/i.exec(text) ?? []
    if (length === undefined) throw new Error('an answer does not say its length: when it is whole cannot be told')
    if (text.length < head + 4 + Number(length)) return
    const status = Number(text.slice(9, 12))
    text = ''
    full(status)
  })
}

function requests({ url, token, cookie, headers = {}, createFrom }: Full): () => string {
  const { host, pathname, search } = new URL(url)
  const credentials = token ? `Authorization: Bearer ${token}\r\n` : ''
  const browser = cookie ? `Cookie: ${cookie}\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\n` : ''
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${credentials}${browser}${more.join('')}`
  if (createFrom === undefined) return () => `GET ${head}\r\n`
  let made = createFrom
  return () => {
    const name = `c${String(++made).padStart(7, '0')}`
    const body = JSON.stringify({ username: name, domain: `${name}.example` })
    return `POST ${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
}
