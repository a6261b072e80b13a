/** Hashes of crypt(3) that Dovecot and ProFTPD verify at a cost that one log-in may have. */
const forms: readonly RegExp[] = [
  /^\$[56]\$(?:rounds=(?<rounds>\d{1,9})\$)?[./A-Za-z0-9]{1,16}\$(?:[./A-Za-z0-9]{43}|[./A-Za-z0-9]{86})$/,
  /^\$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}$/,
  /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/,
  /^\$y\$j[6-9A]T\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}$/,
]
const MAX_ROUNDS = 500_000
const [MIN_COST, MAX_COST] = [4, 14]

export function verifiableCrypt(hash: string): boolean {
  const found = forms.map((form) => form.exec(hash)).find((match) => match !== null)
  if (!found) return false
  const { rounds, cost } = found.groups ?? {}
  if (rounds !== undefined) return Number(rounds) <= MAX_ROUNDS
  return cost === undefined || (Number(cost) >= MIN_COST && Number(cost) <= MAX_COST)
}
