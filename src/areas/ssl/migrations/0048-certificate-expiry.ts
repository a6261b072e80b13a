/**
 * For which stage before its end an own certificate's event was emitted: its days, and when. And until when the authority's rate
 * limit asks to wait.
 */
export const sql = `
ALTER TABLE certificates ADD COLUMN notified_days INTEGER;
ALTER TABLE certificates ADD COLUMN expiring_since INTEGER;
CREATE INDEX certificates_expiring ON certificates (expiring_since) WHERE expiring_since IS NOT NULL;
ALTER TABLE autossl ADD COLUMN wait_until INTEGER;
`
