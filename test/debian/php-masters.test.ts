import { expect, test } from 'vitest'
import { PhpMasters } from '../../src/host/debian/php/masters.ts'
import { account, tempDir } from '../host/helpers.ts'

test('no master is written where setup has not written its sandbox; a suspended account needs none', async () => {
  const commands: string[] = []
  const run = async (program: string, args: readonly string[]) => {
    commands.push([program, ...args].join(' '))
    return ''
  }
  const masters = new PhpMasters(run, tempDir())
  await expect(masters.listen(account(), {})).rejects.toThrow('run panel host setup')
  await masters.listen(account({ suspended: true }), {})
  expect(await masters.differences(account({ suspended: true }))).toEqual([])
  expect(commands).toEqual([])
})

test('the signal to reopen logs goes to running masters alone: it ends one that still starts', async () => {
  const commands: string[] = []
  const running = ['panel-php-8.4-e3b0c44298fc-alice.service', 'panel-php-8.4-e3b0c44298fc-bob.service']
  const run = async (_program: string, args: readonly string[]) => {
    commands.push(args.join(' '))
    return args[0] === 'list-units' ? running.map((unit) => `${unit} loaded active running PHP\n`).join('') : ''
  }
  await new PhpMasters(run, tempDir()).reopenLogs()
  expect(commands).toEqual([
    'list-units --state=active --plain --no-legend panel-php-*.service panel-php@*.service',
    `kill --signal=USR1 --kill-whom=main ${running.join(' ')}`,
  ])
  running.length = 0
  await new PhpMasters(run, tempDir()).reopenLogs()
  expect(commands).toHaveLength(3)
})
