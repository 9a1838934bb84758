cd /work/scratch/gtest/sgm/b
/work/tree/build/cpu/kernelgate nvcc --dryrun -std=c++17 -I../include -O3 -DNDEBUG -lineinfo -c ../src/cost_aggregation.cu -o /tmp/t2/c.o 2>&1 | grep -- "-c ../src" | sed 's/^#\$ //' > /tmp/t2/cmd
eval python3 -B /tmp/t2/dbg.py $(cat /tmp/t2/cmd) 2>&1 | grep -v "inlined from\|In static\|note:" | head -20
