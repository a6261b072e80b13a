/** A check is due after its site's root or handler changed, however that came about. */
export const sql = `
CREATE TABLE htaccess_checks (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  next_at INTEGER NOT NULL,
  ignored_since INTEGER
) STRICT;
CREATE INDEX htaccess_checks_next ON htaccess_checks (next_at, domain_id);
CREATE INDEX htaccess_ignored ON htaccess_checks (ignored_since, domain_id) WHERE ignored_since IS NOT NULL;

INSERT INTO htaccess_checks (domain_id, next_at) SELECT id, 0 FROM domains WHERE kind <> 'parked';
CREATE TRIGGER htaccess_checks_created AFTER INSERT ON domains WHEN NEW.kind <> 'parked' BEGIN
  INSERT INTO htaccess_checks (domain_id, next_at) VALUES (NEW.id, 0);
END;
CREATE TRIGGER htaccess_checks_changed AFTER UPDATE OF document_root, handler ON domains
WHEN NEW.document_root IS NOT OLD.document_root OR NEW.handler IS NOT OLD.handler BEGIN
  UPDATE htaccess_checks SET next_at = 0 WHERE domain_id = NEW.id;
END;
`
