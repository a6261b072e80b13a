import { HostError } from '../contract/error.ts'

/** The object between the marks. What stands around it, or a second answer, is a site's attempt to make up one. */
export function answerIn(output: string, mark: string): object {
  const [before, json, after, ...more] = output.split(`\n${mark}\n`)
  if (before === undefined || json === undefined || after === undefined || more.length > 0 || after !== '')
    throw new HostError('stage', 'The site did not answer: its code ended PHP, or printed what is not an answer.')
  const { error, answer } = parsed(json)
  if (typeof error === 'string') throw new HostError('stage', `The site's WordPress failed: ${sentence(error)}`)
  if (typeof answer !== 'object' || answer === null) throw notUnderstood()
  return answer
}

function parsed(json: string): { readonly error?: unknown; readonly answer?: unknown } {
  try {
    return JSON.parse(json) ?? {}
  } catch {
    throw notUnderstood()
  }
}

export const notUnderstood = () => new HostError('stage', "The site's answer could not be understood.")

const MAX_REASON_LENGTH = 500

/** A line of the site's own words, which may be anything. */
const sentence = (text: string): string => {
  const line = text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON_LENGTH)
  return /[.!?]$/.test(line) ? line : `${line}.`
}
