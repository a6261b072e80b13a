import { keep } from './keep.ts'
import { generator } from './load/load.ts'
import type { Row } from './row.ts'
import * as account from './rows/account.ts'
import * as backups from './rows/backups.ts'
import * as bytes from './rows/bytes.ts'
import * as cli from './rows/cli.ts'
import * as create from './rows/create.ts'
import * as deliveries from './rows/deliveries.ts'
import * as dns from './rows/dns.ts'
import * as domains from './rows/domains.ts'
import * as feed from './rows/feed.ts'
import * as files from './rows/files.ts'
import * as flood from './rows/flood.ts'
import * as growth from './rows/growth.ts'
import * as jobs from './rows/jobs.ts'
import * as latency from './rows/latency.ts'
import * as list from './rows/list.ts'
import * as memory from './rows/memory.ts'
import * as pages from './rows/pages.ts'
import * as paint from './rows/paint.ts'
import * as search from './rows/search.ts'
import * as startup from './rows/startup.ts'
import * as tls from './rows/tls.ts'
import * as token from './rows/token.ts'
import { table } from './table.ts'
import { makeWorld, type World } from './world.ts'

const measured: Readonly<Record<string, { measure(world: World, only?: string): Promise<Row[]> }>> = {
  account,
  token,
  list,
  search,
  feed,
  tls,
  create,
  jobs,
  deliveries,
  latency,
  flood,
  bytes,
  growth,
  pages,
  paint,
  dns,
  domains,
  files,
  backups,
  memory,
  startup,
  cli,
}

/** All of it, or what is named on the command line (`bytes`, or of its rows `bytes:nested`), which then is not kept. */
const expected = process.argv.slice(2)
const [onlyOf, only] = expected.length === 1 ? expected[0]!.split(':') : []
const isRequested = (name: string) => expected.length === 0 || expected.includes(name) || name === onlyOf
const began = performance.now()
const say = (text: string) => process.stderr.write(`${Math.round((performance.now() - began) / 1000)} s: ${text}\n`)

say('writing stores of 1,000, 10,000 and 100,000 accounts and 1,000,000 events')
const world = await makeWorld()
const rows: Row[] = []
for (const [name, { measure }] of Object.entries(measured)) {
  if (!isRequested(name)) continue
  say(name)
  rows.push(...(await measure(world, only)))
}
say('done')

console.log(table(rows))
if (expected.length === 0) keep({ seconds: Math.round((performance.now() - began) / 1000), generator, rows })
process.exit()
