# Drawn by step_link.sh, which sets dir (with link, names, rates and levels), end (seconds), top (the
# highest level) and codecs (what the levels are).
set terminal svg size 900,460 dynamic background '#ffffff' font 'Helvetica,Arial,sans-serif,13'
set encoding utf8
set multiplot
set lmargin at screen 0.085
set rmargin at screen 0.975
set border 3 lc rgb '#8c959f'
set tics nomirror textcolor rgb '#24292f'
set grid ytics lc rgb '#e6e8eb' lt 1 lw 1
set xrange [0:end]
set xtics 5

# By factors, as the link's steps are.
set tmargin at screen 0.90
set bmargin at screen 0.47
set logscale y
set yrange [1:300]
set ytics (1, 3, 10, 30, 100, 300)
set ylabel 'MB/s' offset 1.5,0 textcolor rgb '#24292f'
set format x ''
set key at screen 0.085,0.985 left top Left reverse horizontal maxrows 1 samplen 2 width 1 textcolor rgb '#24292f'
plot dir.'/link' using 1:($2/8) with filledcurves y1=1 fc rgb '#e4edf8' notitle, \
     dir.'/link' using 1:($2/8) with lines lw 1.5 lc rgb '#9bb6d8' title 'what the link can carry', \
     dir.'/rates' using 1:2 with lines lw 2 lc rgb '#1f5fae' title 'on the wire', \
     dir.'/rates' using 1:3 with lines lw 2.5 lc rgb '#d1541f' title 'arriving, unpacked', \
     dir.'/names' using 1:(1.4):2 with labels textcolor rgb '#5f7fa6' notitle

set tmargin at screen 0.405
set bmargin at screen 0.115
unset logscale y
set yrange [0:top]
set ytics autofreq 5
set ylabel 'level' offset 0.5,0
set xlabel 'seconds' offset 0,0.4 textcolor rgb '#24292f'
set format x '%g'
set label 1 'level: '.codecs at screen 0.975,0.43 right textcolor rgb '#2e7d43'
unset key
plot dir.'/levels' using 1:2 with filledcurves y1=0 fc rgb '#d9ecdd' notitle, \
     dir.'/levels' using 1:2 with lines lw 1.3 lc rgb '#2e7d43' notitle
unset multiplot
