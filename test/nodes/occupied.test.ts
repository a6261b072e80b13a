import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { ensureServerBuilt, panel } from '../cli/run.ts'
import { ask, type Served, scratchFolder, startServer } from '../cli/server.ts'
import { lineOf } from './joined.ts'

const lineFor = async (served: Served, name: string) => {
  const { join_line, node } = (await ask(served.socket, 'POST', '/api/v1/nodes', { name })).body
  return { words: join_line.split(' | ')[1].split(' ').slice(1), secret: lineOf(join_line).secret, id: node.id }
}

/** As left by a version without nodes. */
function storeWithAccount(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true })
  const sqlite = new Database(join(dataDir, 'panel.db'))
  sqlite.exec("CREATE TABLE accounts (id TEXT); INSERT INTO accounts VALUES ('bob')")
  sqlite.close()
}

test("joining is refused on the panel's own machine, and where it would remove a panel or another node", {
  timeout: 60_000,
}, async () => {
  ensureServerBuilt()
  const [one, other] = [scratchFolder(), scratchFolder()]
  const served = await startServer(join(one, 'var/lib/panel'), ['--node-port', '0'])
  storeWithAccount(join(other, 'var/lib/panel'))
  const [web2, web3] = [await lineFor(served, 'web2'), await lineFor(served, 'web3')]
  const run = async ({ words, secret }: typeof web2, root: string, ...more: string[]) => {
    const { code, stdout, stderr } = await panel([...words, '--root', root, ...more], { input: `${secret}\n` })
    return [code, stdout, stderr]
  }
  const instead = 'to make it the new node all the same: run the line again, with --yes at its end'
  const refusal = (...texts: string[]) => [1, '', expect.stringMatching(new RegExp(texts.join('[\\s\\S]*')))]
  for (const more of [[], ['--yes']])
    expect(await run(web2, one, ...more)).toEqual(
      refusal('This is the machine of the panel itself, its node `local`', 'run the line on the new machine'),
    )
  expect(await run(web2, other)).toEqual(
    refusal('A panel with 1 account is on this machine, and joining stops it', instead),
  )
  expect((await run(web2, other, '--yes')).slice(0, 2)).toEqual([0, 'web2\n'])
  expect(await run(web3, other)).toEqual(
    refusal(`This machine is the node web2 already, with the id ${web2.id}`, instead),
  )
  expect((await run(web3, other, '--yes')).slice(0, 2)).toEqual([0, 'web3\n'])
})
