import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

/**
 * A process that sends bodies in turn, with a token, on three connections, as fast as they are answered:
 * `bodies.ts URL TOKEN SECONDS FILE...`. It ends by itself, and after so many bodies.
 */
const [url = '', token = '', seconds = '', ...files] = process.argv.slice(2)
const connections = 3
let left = 5_000

const bodies = files.map((file) => readFileSync(file))
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }

/** Waits a little after a refusal, as a bucket may be empty. */
function send(): void {
  if (left-- <= 0) process.exit()
  let pause = 20
  const body = bodies[left % bodies.length]!
  const options = { method: 'POST', agent, headers: { ...headers, 'Content-Length': body.length } }
  const call = request(url, options, (answer) => {
    if (answer.statusCode !== 429) pause = 0
    answer.resume()
  })
  // An answer may come before the body is sent, and more than one error after it.
  call.on('error', () => {}).once('close', () => setTimeout(send, pause))
  call.end(body)
}

for (let connection = 0; connection < connections; connection++) send()
setTimeout(() => process.exit(), Number(seconds) * 1000)
console.log(`sends to ${url}`)
