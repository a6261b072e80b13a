import type { recordKinds, recordStatuses } from '../../../contract/email/dns.ts'

type Kind = (typeof recordKinds)[number]
type Status = (typeof recordStatuses)[number]

const unknown = 'Not known: it was not checked yet, or no name server answered.'

/** What a finding means and what to do, in a sentence or two. */
const sentences: Readonly<Record<Kind, Readonly<Record<Exclude<Status, 'unknown'>, string>>>> = {
  mx: {
    ok: 'Mail for this domain has a server to go to.',
    missing: 'No server takes mail for this domain. Add the MX record.',
    different: 'Mail for this domain goes to another server. Change the MX record, or set the routing to remote.',
  },
  spf: {
    ok: 'Receivers see that this server may send for the domain.',
    missing: 'Receivers cannot see that this server may send for the domain. Add the TXT record.',
    different: 'Receivers may refuse mail from this server. Have one SPF record alone, with this text.',
  },
  dkim: {
    ok: 'Receivers can verify the signature of your mail.',
    missing: 'Receivers cannot verify the signature of your mail. Add the TXT record.',
    different: 'The signature of your mail is not valid for receivers. Change the TXT record.',
  },
  dmarc: {
    ok: 'Receivers know what to do with forged mail.',
    missing: 'Large providers expect this record. Add the TXT record.',
    different: 'There are several records, so receivers use none. Keep one.',
  },
  ptr: {
    ok: "The server's address leads to its name.",
    missing:
      'Many receivers refuse mail from an address without a name. Set the reverse DNS where you rent the server.',
    different: 'The address leads to another name. Set the reverse DNS where you rent the server.',
  },
  helo: {
    ok: 'The name that the server introduces itself by leads to it.',
    missing: 'The name that the server introduces itself by does not exist. Add the address record.',
    different: 'The name that the server introduces itself by leads elsewhere. Change the address record.',
  },
  mta_sts: {
    ok: 'Senders are told to encrypt mail to this domain.',
    missing: 'Optional: senders are not told that mail to this domain must be encrypted.',
    different: 'Senders read another policy, or none where there are several records. Keep one, with the text shown.',
  },
  tls_rpt: {
    ok: 'Senders report failed encryption.',
    missing: 'Optional: add the TXT record to get reports of failed encryption.',
    different: 'There are several records, so senders use none. Keep one.',
  },
  blocklist: {
    ok: "The server's address is not listed.",
    missing: "The server's address is not listed.",
    different: "The server's address is listed as a source of spam. End the cause, then ask the list for its removal.",
  },
}

export const adviceOf = (kind: Kind, status: Status): string =>
  status === 'unknown' ? unknown : sentences[kind][status]

/** Every sentence, for the pages in other languages. */
export const allAdvice: readonly string[] = [unknown, ...Object.values(sentences).flatMap((one) => Object.values(one))]
