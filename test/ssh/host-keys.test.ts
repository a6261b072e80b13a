import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hostKeys } from '../../src/areas/ssh/operations.ts'
import { tempDir } from '../host/helpers.ts'

test('the keys of an SSH server are shown by fingerprint', () => {
  const folder = tempDir()
  expect(hostKeys(join(folder, 'absent'))).toEqual([])
  const blob = 'AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'
  writeFileSync(join(folder, 'ssh_host_ed25519_key.pub'), `ssh-ed25519 ${blob} root@host\n`)
  writeFileSync(join(folder, 'ssh_host_ed25519_key'), 'secret')
  expect(hostKeys(folder)).toEqual([{ type: 'ssh-ed25519', fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/) }])
})
