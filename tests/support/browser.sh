# Sourced. A browser without a screen.
#
# browse PAGE WIDTH HEIGHT [OPTION...]: what the browser writes; its messages go to $T/browser.err,
# those of the page among them as "CONSOLE". Skips the test where there is none.

BROWSER=
for BROWSER_NAME in chromium-headless-shell chromium chromium-browser google-chrome; do
  # Ubuntu's is a word that tells to install it otherwise.
  if timeout 20 "$BROWSER_NAME" --version >/dev/null 2>&1; then
    BROWSER=$BROWSER_NAME
    break
  fi
done

browse() {
  local page=$1 width=$2 height=$3 options=(--no-sandbox --disable-gpu --enable-logging=stderr)
  shift 3
  [[ $BROWSER == chromium-headless-shell ]] || options+=(--headless)
  HOME=$T timeout 60 "$BROWSER" "${options[@]}" --user-data-dir="$T/browser" --no-first-run \
    --disable-dev-shm-usage --window-size="$width,$height" "$@" "file://$page" 2>>"$T/browser.err"
}
