# Rules of a site that nginx alone can judge, document roots elsewhere in the home, and previews.
. "$(dirname "$0")/../lib.sh"

account vera
is 'a site without an index shows the welcome page' 1 "$(page vera.example | grep -c 'has just been set up')"
is 'which is not in its home' 0 "$(ls -A /home/vera/sites/vera.example/public | wc -l)"
quietly panel domains update vera.example --document-root public_html -a vera
install -o vera -g vera -m 0644 /dev/stdin /home/vera/public_html/index.php <<'PHP'
<?php setcookie('s', '1', ['domain' => 'vera.example']);
if (isset($_GET['old'])) { header('Location: https://www.vera.example/new'); exit; }
echo "<a href=\"https://vera.example/a\">{$_SERVER['HTTPS']}</a>";
PHP
is 'a document root elsewhere in the home is served' 1 "$(page vera.example | grep -c vera.example/a)"

# Text is compressed and an image is not, whatever the visitor accepts. A path has its own users, whose hashes no response contains.
head -c 40000 /dev/zero | tr '\0' 'a' > /home/vera/public_html/a.css
cp /home/vera/public_html/a.css /home/vera/public_html/a.png
chown vera:vera /home/vera/public_html/a.*
encoding() { curl -s -o /dev/null -D - -H 'Accept-Encoding: gzip' --resolve vera.example:80:127.0.0.1 "http://vera.example/$1" | tr -d '\r' | sed -n 's/^Content-Encoding: //Ip'; }
is 'styles arrive compressed, images as they are' 'gzip ' "$(encoding a.css) $(encoding a.png)"
printf '{"access":[{"path":"/closed","users":[{"name":"ann","password":"Sandpiper-canary-34"}]}]}' > /tmp/34.json
quietly panel domains update vera.example --data @/tmp/34.json -a vera
mkdir -p /home/vera/public_html/closed; echo inside > /home/vera/public_html/closed/a.txt; chown -R vera:vera /home/vera/public_html/closed
is 'a directory asks for its password' '401 inside' "$(code vera.example closed/a.txt) $(curl -s -u ann:Sandpiper-canary-34 --resolve vera.example:80:127.0.0.1 http://vera.example/closed/a.txt)"
is 'the file of hashes is for nginx alone' '640 root www-data' "$(stat -c '%a %U %G' /etc/panel/nginx/access/vera.example.0)"
is 'no response has a hash' 0 "$(panel domains show vera.example -a vera -o json | grep -c 'SSHA\|canary')"

# Root's own directives: nginx judges them, and a refused text leaves everything as it was.
quietly panel domains update vera.example --nginx-include 'location = /status { return 204; }' -a vera
is 'directives of root take effect' 204 "$(code vera.example status)"
panel domains update vera.example --nginx-include 'nonsense on;' -a vera > $said 2>&1
is "a refused text fails with nginx's message" 1 "$(grep -c 'unknown directive "nonsense"' $said | sed 's/[2-9]/1/')"
refused 'a brace does not close the server block' panel domains update vera.example --nginx-include '} server {' -a vera
is 'and the former text is back' 204 "$(code vera.example status)"
quietly nginx -t -q
if nginx -V 2>&1 | grep -q http_v3_module; then
  quietly panel domains update vera.example --http3 -a vera
  is 'QUIC is served on port 443' 1 "$(ss -lun | grep -c '0.0.0.0:443' | sed 's/[2-9]/1/')"
else
  refused 'HTTP/3 is not configured here' panel domains update vera.example --http3 -a vera
fi

host=host.example
refused "previews do not share the server's name" panel settings update --preview-hostname "$host"
refused 'nor a name below it' panel settings update --preview-hostname "previews.$host"
quietly panel settings update --preview-hostname previews.test
job server.apply
quietly panel domains preview vera.example --hours 1 -a vera
preview=$(panel domains show-preview vera.example -a vera -o json | grep -o '[a-z]\{32\}\.previews\.test')
look() { curl -sk --resolve "$preview:443:127.0.0.1" "https://$preview/${1:-}" "${@:2}"; }
is 'a preview shows the site under another name' "<a href=\"https://$preview/a\">on</a>" "$(look)"
headers=$(look '?old=1' -D - -o /dev/null | tr -d '\r')
is 'redirects stay there' "https://$preview/new" "$(sed -n 's/^Location: //Ip' <<< "$headers")"
is 'cookies too' 1 "$(grep -ic "domain=$preview" <<< "$headers")"
is 'search engines do not index it' 1 "$(grep -ic '^X-Robots-Tag: noindex' <<< "$headers")"
is 'others cannot reach its socket' 1 "$(runuser -u vera -- curl -s --unix-socket /run/panel-preview/nginx.sock http://vera.example/ > /dev/null 2>&1 && echo 0 || echo 1)"
kill -9 "$(cat /run/nginx.pid)"
sleep 1
quietly systemctl restart nginx
is 'a killed nginx starts again' "<a href=\"https://$preview/a\">on</a>" "$(look)"
quietly panel domains delete-preview vera.example -a vera
is 'an ended preview is not found' 404 "$(look '' -o /dev/null -w '%{http_code}')"
quietly panel settings update --preview-hostname none
