import { expect, test } from 'vitest'
import { AgentClient } from '../../../src/host/agent/client/client.ts'
import type { HostClient } from '../../../src/host/contract/client.ts'
import { FakeClock } from '../../clock.ts'
import { hello, played } from '../agent/peer.ts'
import { account, nameOf, server } from '../helpers.ts'
import { cases } from './cases.ts'

type Ask = (client: HostClient) => Promise<unknown>

const of = <Input>(command: string, n = 0): Input => cases[command]![n]!.input as Input

const files = (n: number) => {
  const { verb, input } = of<{ verb: string; input: object }>('files', n)
  return { verb, input: input as never }
}
const act =
  (n: number): Ask =>
  (client) =>
    client.files(nameOf(account())).act(files(n).verb as never, files(n).input)

/** How the panel asks for each command. */
const asks: Readonly<Record<string, readonly Ask[]>> = {
  apply: [(client) => client.apply(of('apply'))],
  remove: [
    (client) => {
      const { account, order, belongings } = of<{ account: never; order: never; belongings: never }>('remove')
      return client.remove({ account, order, belongings })
    },
  ],
  applyServer: [(client) => client.applyServer(of('applyServer'))],
  serveZones: [(client) => client.serveZones(of('serveZones'))],
  diffZones: [(client) => client.diffZones(of('diffZones'))],
  followPrimary: [(client) => client.followPrimary(of('followPrimary')), (client) => client.followPrimary()],
  room: [(client) => client.room()],
  diff: [(client) => client.diff(of('diff')), (client) => client.diff({ server })],
  inspect: [(client) => client.inspect()],
  condition: [(client) => client.condition()],
  verify: [(client) => client.verify({ server, account: account() })],
  usage: [(client) => client.usage({ accounts: [nameOf(account())] })],
  listAccounts: [(client) => client.listAccounts({ ids: [account().id] }), (client) => client.listAccounts()],
  files: cases['files']!.map((_, n) => act(n)),
  backup: [(client) => client.backup(of('backup'))],
  checkBackup: [(client) => client.checkBackup(of('checkBackup'))],
  tryBackup: [(client) => client.tryBackup(of('tryBackup'))],
  removeBackup: [(client) => client.removeBackup(of('removeBackup'))],
  readBackup: [(client) => client.readBackup(of('readBackup'))],
  indexBackup: [(client) => client.indexBackup(of('indexBackup'))],
  listBackup: [(client) => client.listBackup(of('listBackup'))],
  openBackup: [(client) => client.openBackup(of('openBackup'))],
  validatePlace: [(client) => client.validatePlace(of('validatePlace'))],
  testPlace: [(client) => client.testPlace(of('testPlace'))],
  restorePart: [(client) => client.restorePart(of('restorePart'))],
  restoreDatabases: [(client) => client.restoreDatabases(of('restoreDatabases'))],
  importDatabase: [0, 1].map((n) => (client: HostClient) => client.importDatabase(of('importDatabase', n))),
  exportDatabase: [0, 1].map((n) => (client: HostClient) => client.exportDatabase(of('exportDatabase', n))),
  deployApp: [(client) => client.deployApp(of('deployApp'))],
  settleApp: [(client) => client.settleApp(of('settleApp'))],
  restartApp: [(client) => client.restartApp(of('restartApp'))],
  appStatus: [(client) => client.appStatus({ after: 'a-1:5' }), (client) => client.appStatus()],
  traffic: [(client) => client.traffic(of('traffic'))],
  visits: [(client) => client.visits(of('visits'))],
  rotateLogs: [(client) => client.rotateLogs(of('rotateLogs'))],
  runCron: [(client) => client.runCron(of('runCron'))],
  runWordpress: [0, 1, 2, 3, 4, 5, 6].map((n) => (client: HostClient) => client.runWordpress(of('runWordpress', n))),
  checkArchive: [(client) => client.checkArchive(of('checkArchive'))],
  readArchive: [(client) => client.readArchive(of('readArchive'))],
  unpackArchive: [(client) => client.unpackArchive(of('unpackArchive'))],
  placeImport: [(client) => client.placeImport(of('placeImport'))],
  clearImport: [(client) => client.clearImport(of('clearImport'))],
  dropImport: [(client) => client.dropImport(of('dropImport'))],
  awaitCron: [(client) => client.awaitCron(of('awaitCron'))],
  hostTrash: [(client) => client.hostTrash({ measured: true })],
  emptyHostTrash: [(client) => client.emptyHostTrash({ before: 1 })],
  openProgram: [(client) => client.openProgram(of('openProgram'))],
  ftpSessions: [(client) => client.ftpSessions()],
  mailQueue: [(client) => client.mailQueue(of('mailQueue'))],
  mailTrace: [(client) => client.mailTrace(of('mailTrace'))],
  changeMailQueue: [(client) => client.changeMailQueue(of('changeMailQueue'))],
  testRelay: [(client) => client.testRelay(of('testRelay'))],
  exchangeBans: [(client) => client.exchangeBans(of('exchangeBans'))],
  refusedDomains: [(client) => client.refusedDomains()],
}

test.each(Object.keys(asks))('%s is sent as recorded', async (command) => {
  const clock = new FakeClock(0)
  const sent: object[] = []
  const transport = played(async (agent) => {
    await agent.hear()
    agent.say(hello)
    for (let frame = await agent.hear(); frame; frame = await agent.hear()) {
      sent.push(frame)
      agent.say({ type: 'answer', id: frame['id'], status: 'failed', stage: 'stage', message: 'No.' })
    }
  })
  const log = { info: () => {}, warn: () => {} }
  const client = new AgentClient({ transport, build: 'test', after: clock.after.bind(clock), log })
  for (const ask of asks[command]!) await expect(ask(client)).rejects.toThrow('No.')
  await client.close()
  await expect(`${JSON.stringify(sent, undefined, 1)}\n`).toMatchFileSnapshot(`golden/sent.${command}.txt`)
})
