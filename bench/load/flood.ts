import { connect, type Socket } from 'node:net'

/**
 * A process that sends bodies of 1 MiB without credentials, one after the other on each of three connections, as fast as
 * they are taken: `flood.ts URL SECONDS`. It ends by itself, and after so many bodies.
 */
const [url = '', seconds = ''] = process.argv.slice(2)
const connections = 3
let left = 20_000

/** Names 114,445 fields that no operation knows. */
const fields = Array.from({ length: 114_445 }, (_, place) => `"${place}":1`)
const body = `{${fields.join(',')}}`.slice(0, 1024 * 1024)

const { hostname, port, pathname, host } = new URL(url)
const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`
const bytes = Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)

function send(socket: Socket): void {
  if (left-- > 0) socket.write(bytes)
  else process.exit()
}

const answers = (bytes: Buffer): boolean => bytes.subarray(0, 5).toString() === 'HTTP/'

/** A connection that is ended gives way to another one. */
function begin(): void {
  const socket = connect({ host: hostname, port: Number(port) }, () => send(socket))
  socket.on('data', (bytes) => answers(bytes) && send(socket)).on('error', () => {})
  socket.once('close', begin)
}

for (let connection = 0; connection < connections; connection++) begin()
setTimeout(() => process.exit(), Number(seconds) * 1000)
console.log(`sends to ${url}`)
