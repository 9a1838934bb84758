import sys
sys.path.insert(0,'/work/tree/harness/model/rewrite')
import rewrite_kernel as rk
orig=rk.Source.host_functions
def h(self,nodes):
    nodes=list(nodes)
    for node in nodes:
        if node.type in rk.FUNCTIONS and rk.function_in(node) is not None and self.enclosing(node.parent) is None:
            n=rk.name_in(rk.function_in(node))
            if n and b'shfl_xor_sync' in self.of(n): print(node.type,node.start_point,self.of(node)[:300], self.attributes(node), file=sys.stderr)
    return orig(self,nodes)
rk.Source.host_functions=h
import compile_kernel
sys.argv=sys.argv[1:]
sys.argv=['x']+sys.argv
compile_kernel.main()
