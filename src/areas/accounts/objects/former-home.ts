/**
 * A text in which the home of a former account is replaced by that of the account that its backup was restored into:
 * `/home/old` where it ends or a path goes on, not `/home/older`.
 */
export const inHomeNow = (text: string, from: string, to: string): string =>
  from === to ? text : text.replaceAll(new RegExp(`(?<![\\w.-])/home/${from}(?![\\w.-])`, 'g'), `/home/${to}`)
