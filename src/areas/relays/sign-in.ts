import { refuseInvalid } from '../../contract/problem.ts'

/** A relay has a user name and a password, or neither. */
export function refuseHalf(username: string | null | undefined, password: string | undefined): void {
  refuseInvalid({
    username: username == null && password !== undefined ? 'is required with a password' : undefined,
    password: username != null && password === undefined ? 'is required with a user name' : undefined,
  })
}
