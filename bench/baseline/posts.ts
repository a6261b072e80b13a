import { Agent, request } from 'undici'

/** Posts so many bodies of an event's size, 64 at a time, with nothing signed, stored or judged; says how many a second. */
const [url, count] = [process.argv[2]!, Number(process.argv[3])]
const body = JSON.stringify({ type: 'account.created', data: 'x'.repeat(450) })
const dispatcher = new Agent({ connections: 64, pipelining: 1 })

let left = count
async function post(): Promise<void> {
  while (left-- > 0) {
    const answer = await request(url, {
      dispatcher,
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    await answer.body.dump()
  }
}

const began = performance.now()
await Promise.all(Array.from({ length: 64 }, post))
console.log(count / ((performance.now() - began) / 1000))
process.exit()
