import { noticeKinds, noticeSeverities } from '../../../contract/notices.ts'
import { invalid } from '../../../contract/problem.ts'
import { didYouMean } from '../../../shared/similar.ts'

const severities: readonly string[] = noticeSeverities

const matchesKind = (pattern: string, kind: string): boolean =>
  pattern.endsWith('*') ? kind.startsWith(pattern.slice(0, -1)) : kind === pattern

/** Whether any of a channel's patterns names a cause, by its kind or severity. */
export const concerns = (
  patterns: readonly string[],
  { kind, severity }: { kind: string; severity: string },
): boolean =>
  patterns.some((pattern) => (severities.includes(pattern) ? pattern === severity : matchesKind(pattern, kind)))

/** 400 for a pattern that nothing matches. */
export function refuseUnknownKinds(patterns: readonly string[] | undefined): void {
  const isKnown = (pattern: string): boolean =>
    severities.includes(pattern) || noticeKinds.some((kind) => matchesKind(pattern, kind))
  const wrong = patterns?.find((pattern) => !isKnown(pattern))
  if (wrong === undefined) return
  const hint = didYouMean(wrong, [...severities, ...noticeKinds]) ?? 'patterns end in *, such as disk-*'
  throw invalid('kinds', `${JSON.stringify(wrong)} is neither a kind nor a severity; ${hint}`)
}
