import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { cryptLike } from '../../shared/crypt.ts'
import { FairQueue } from '../fair-queue.ts'
import type { Turn } from '../jobs/shares.ts'

/** A hash takes about 50 ms of CPU time. */
const queue = new FairQueue(2, 1000)

/** Some loaders name functions by a helper that does not exist in the thread. */
const source = `const __name = (value) => value
const { parentPort, workerData: { password, setting } } = require('node:worker_threads')
parentPort.postMessage((${cryptLike})(password, setting, require('node:crypto').createHash))`

/** One thread per hash, so that nothing of the password stays in memory. */
const inThread = (password: string, setting: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const workerData = { password, setting }
    const thread = new Worker(source, { eval: true, execArgv: [], env: {}, workerData })
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('The thread that hashes a password has ended early.')))
  })

/** Whether a password matches a hash of crypt(3), as other panels have it. Computed off the event loop. */
export const cryptFits = async (password: string, stored: string, turn: Turn | undefined): Promise<boolean> =>
  (await queue.run(turn, () => inThread(password, stored))) === stored

/** 64 characters, so that each is equally likely. */
const letters = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const newSalt = (): string => Array.from(randomBytes(16), (byte) => letters[byte % letters.length]).join('')

/** A SHA512-CRYPT hash, which mail and FTP servers can verify. Computed off the event loop. */
export const cryptPassword = async (password: string, turn: Turn | undefined): Promise<string> =>
  (await queue.run(turn, () => inThread(password, `$6$${newSalt()}`)))!

/** A hash that no password matches, for when the former one is unknown. */
export const unknownCrypt = (): string =>
  `$6$${newSalt()}$${Array.from(randomBytes(86), (byte) => letters[byte % letters.length]).join('')}`

/** Why a password is unsuitable, apart from its length and characters. */
export const passwordError = (password: string, ...names: readonly string[]): string | undefined =>
  names.some((name) => name.toLowerCase() === password.toLowerCase()) ? 'must not be the name itself' : undefined
