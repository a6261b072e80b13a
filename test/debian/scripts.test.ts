import { expect, test } from 'vitest'
import { scriptUnits, scriptWords } from '../../src/host/debian/php/run-php.ts'
import { account, nameOf } from '../host/helpers.ts'

test("a tenant's script runs as its user, in its slice, without a network, within limits", () => {
  const bob = nameOf(account())
  const unit = scriptUnits('bob').replace('*', '1')
  const script = '<?php secret();'
  const words = scriptWords({ account: bob, php: '8.4', script, timeoutS: 25 }, unit)
  expect(words).toEqual(
    expect.arrayContaining([
      '--unit=panel-script-bob-1.service',
      '--slice=panel-bob.slice',
      `--uid=${bob.uid}`,
      `--gid=${bob.uid}`,
      '--property=PrivateNetwork=yes',
      '--property=ProtectHome=tmpfs',
      '--property=MemoryMax=512M',
      '--property=RuntimeMaxSec=25',
      '/usr/bin/php8.4',
      'auto_prepend_file=',
    ]),
  )
  expect(words.join(' ')).not.toContain('secret')
})
