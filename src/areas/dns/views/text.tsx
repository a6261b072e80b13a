import { Form } from '../../../web/kit/form.tsx'
import type { Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** A zone as a zone file, to read and to replace. */
export function zoneText(visit: Visit): Shown {
  const { data, names, href } = visit
  const value = { zone_file: data.zone_file, mode: 'replace', serial: data.serial }
  const form = visit.form('importDnsZone', { value })
  return {
    title: names['zone']!,
    machine: true,
    lead: t('Replacing makes the zone what the text says; merging adds to what is there.'),
    body: form ? (
      <div class="card pad">
        <Form of={form} cancel={href('/dns/{zone}', names)} />
      </div>
    ) : (
      <pre class="card pad">
        <bdi dir="ltr">{data.zone_file}</bdi>
      </pre>
    ),
  }
}
