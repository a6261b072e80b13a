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
