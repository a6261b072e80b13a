# While the disk of the databases is nearly full, an account beyond its quota can only read and delete, and no other loses anything.
. "$(dirname "$0")/../lib.sh"
password=canary-Turnstone-3318
for one in filler frugal; do
  account $one
  quietly panel accounts update $one --disk-quota-mb 200
  quietly panel mysql databases create shop --user app --password-stdin -a $one <<< $password
done
sql() { mariadb --no-defaults -h 127.0.0.1 -u "$1_app" -p$password "$1_shop" -N -e "$2" 2>&1; }
double() { sql "$1" 'INSERT INTO t (d) SELECT d FROM t'; }
for one in filler frugal; do sql $one 'CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, d longblob); INSERT INTO t (d) VALUES (REPEAT("x", 1000000))'; done

# A disk on which 2 GB, below which it is nearly full, are free at first.
systemctl stop mariadb
mv /var/lib/mysql /var/lib/mysql.former
install -d -o mysql -g mysql -m 0711 /var/lib/mysql
mount -t tmpfs -o mode=0711,uid="$(id -u mysql)",gid="$(id -g mysql)",size=$((2200 + $(du -sm /var/lib/mysql.former | cut -f1)))m tmpfs /var/lib/mysql
cp -a /var/lib/mysql.former/. /var/lib/mysql
systemctl start mariadb
begun=$(date +%s%N)
refusal=
for _ in $(seq 120); do
  refusal=$(double filler) || break
  [ "$(sql filler 'SELECT COUNT(*) FROM t')" -lt 256 ] || { refusal=$(sql filler 'INSERT INTO t (d) SELECT d FROM t LIMIT 30') || break; }
  sleep 0.2
done
echo "# refused after $(since "$begun"): $(du -sm /var/lib/mysql/filler_shop | cut -f1) MB, $(df -m --output=avail /var/lib/mysql | tail -1 | xargs) MB are free"
is 'who is beyond its quota cannot write' yes "$(echo "$refusal" | grep -qE 'denied|Lost connection|gone away|interrupted|killed' && echo yes)"
is 'nor with the next session' yes "$(eventually eval "sql filler 'INSERT INTO t (d) VALUES (1)' | grep -q denied" && echo yes)"
is 'its customer and root are told' '1 1' "$(for _ in $(seq 130); do [ -n "$(panel notices list --kind databases-read-only -o name 2> $said)" ] && break; sleep 1; done; panel notices list --kind databases-read-only -a filler -o json | grep -c '"kind": *"databases-read-only"') $(panel notices list --kind databases-read-only -o json | grep -c '"username": *"filler"')"
quietly panel mysql users create other -a filler --password-stdin <<< $password
quietly panel mysql grant filler_shop filler_other
is 'what a change grants is revoked at once' 1 "$(mariadb --no-defaults -h 127.0.0.1 -u filler_other -p$password filler_shop -e 'INSERT INTO t (d) VALUES (1)' 2>&1 | grep -c denied)"
refused 'and no dump is loaded' bash -c "echo 'CREATE TABLE more (id int);' | panel mysql import filler_shop -a filler --file -"
is 'more than a gigabyte is left' yes "$([ "$(df -m --output=avail /var/lib/mysql | tail -1)" -gt 1024 ] && echo yes)"
is 'who is within its quota writes' '' "$(double frugal)"
is 'it reads and deletes' 0 "$(sql filler 'DELETE FROM t WHERE id = 1; TRUNCATE TABLE t; SELECT COUNT(*) FROM t')"
writes() { [ -z "$(sql filler 'INSERT INTO t (d) VALUES (1)')" ]; }
may_write() { for _ in $(seq 80); do writes && return; sleep 1; done; return 1; }
is 'then it writes again' yes "$(may_write && echo yes)"
is 'root is told' yes "$(journalctl -u panel-host --no-pager -o cat | grep -q 'the disk is nearly full: the databases of filler can only be read' && echo yes)"

systemctl stop mariadb
umount /var/lib/mysql && rmdir /var/lib/mysql && mv /var/lib/mysql.former /var/lib/mysql
systemctl start mariadb
for one in filler frugal; do quietly panel accounts terminate $one --yes --confirm $one; done
