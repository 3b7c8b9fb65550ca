#!/bin/sh
# Run a command of the program as the user of the service, who owns the data.
set -e
program=/usr/lib/gin-rummy/bin/gin-rummy
user=gin-rummy

export VAR_DIR=/var/lib/gin-rummy
if [ -r /etc/default/gin-rummy ]; then
    set -a
    . /etc/default/gin-rummy
    set +a
fi

case "${1:---help}" in
    --help | -h | help | --version | -V | version | check-file | \
    tally | adjudicate | deadwood | pair | standings | payout | ledger | verify-draw | verify-partners | read-list)
        exec "$program" "$@" ;;  # these commands use no data
esac
case "$(id -un)" in
    "$user") exec "$program" "$@" ;;
    root) HOME=$VAR_DIR exec setpriv --reuid "$user" --regid "$user" --init-groups "$program" "$@" ;;
    *) echo "The data belongs to the user $user. Type:  sudo gin-rummy $*" >&2; exit 1 ;;
esac
