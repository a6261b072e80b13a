import { Problem, problems } from '../../contract/problem.ts'

/** An error in words, with the fields' labels. */
export const sentence = (error: unknown): string => {
  if (!(error instanceof Problem)) throw error
  if (!error.fields) return error.detail ?? problems[error.code].title
  return Object.entries(error.fields)
    .map(([field, problem]) => `${labels[field] ?? field} ${problem}.`)
    .join(' ')
}

const labels: Readonly<Record<string, string>> = {
  username: 'The username',
  password: 'The password',
  code: 'The code',
  token: 'The link',
  current_password: 'The current password',
  new_password: 'The new password',
}

export const statusOf = (error: unknown): number => (error instanceof Problem ? error.status : 500)
