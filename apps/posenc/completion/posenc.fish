# SPDX-License-Identifier: Apache-2.0
function __posenc
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l tool (string replace -r '^~/' "$HOME/" -- $words[1])
    for word in ($tool complete $words[2..] "$typed" 2>/dev/null)
        if test "$word" = /
            set -l start (string match -r '.*[=:]' -- $typed)
            for path in (__fish_complete_path (string replace -- "$start" '' "$typed"))
                echo "$start$path"
            end
        else
            echo $word
        end
    end
end
complete -c posenc -f -a '(__posenc)'
