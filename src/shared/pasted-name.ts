const blanks = /^[\s\u200b-\u200d\u2060\ufeff]+|[\s\u200b-\u200d\u2060\ufeff]+$/g
/** An address whose only meaning here is its host: none with a user in it. */
const address = /^https?:\/\/([^\s/?#@:]+)(?::\d{1,5})?(?:[/?#]\S*)?$/i

/** A name as people paste it, without blanks around it or the rest of a web address. */
export function withoutUrl(text: string): string {
  const name = text.replace(blanks, '')
  return address.exec(name)?.[1] ?? name
}

/** A domain as people paste it: the final dot is left out, too, or the comma of a list. */
export const pastedDomain = (text: string): string =>
  withoutUrl(text.replace(/[\s,;]+$/, '')).replace(/([^.])\.$/, '$1')
