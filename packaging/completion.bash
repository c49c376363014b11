
# What bash does otherwise: it splits words at colons, which the names of JACK ports contain, and quotes and ends the name of a
# setting.
_tactus_words() {
    local -r begin="${COMP_LINE:0:COMP_POINT}"
    if [[ "${begin}" =~ --connect[[:space:]]+((\\.|[^[:space:]\\])*)$ ]]; then
        local typed="${BASH_REMATCH[1]}" port
        # The part that bash does not replace.
        local -r kept="${typed%"${typed##*:}"}"
        compopt +o filenames
        while IFS='' read -r port; do
            port="$(printf %q "${port}")"
            [[ "${port}" = "${typed}"* ]] && COMPREPLY+=("${port#"${kept}"}")
        done < <(jack_lsp 2>/dev/null)
        return
    fi
    [[ "${3}" = --set ]] && compopt +o filenames -o nospace
    _tactus "${@}"
}
complete -o filenames -F _tactus_words tactus
