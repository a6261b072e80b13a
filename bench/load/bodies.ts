import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

/**
 * A process that sends one body again and again, with a token, on three connections, as fast as it is answered:
 * `bodies.ts URL TOKEN FILE SECONDS`. It ends by itself, and after so many bodies.
 */
const [url = '', token = '', file = '', seconds = ''] = process.argv.slice(2)
const connections = 3
let left = 5_000

const body = readFileSync(file)
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': body.length }

/** Waits a little after a refusal, as a bucket may be empty. */
function send(): void {
  if (left-- <= 0) process.exit()
  let pause = 20
  const call = request(url, { method: 'POST', agent, headers }, (answer) => {
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
