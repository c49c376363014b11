
# bash differs from other shells: it splits words at colons, which JACK port names contain, and quotes the name of a setting and adds a
# space.
_tactus_words() {
    local -r begin="${COMP_LINE:0:COMP_POINT}"
    if [[ "${begin}" =~ --connect[[:space:]]+((\\.|[^[:space:]\\])*)$ ]]; then
        local typed="${BASH_REMATCH[1]}" port
        # bash does not replace this part.
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
